"""Answers `!ping` without the library, with the Socket.IO client for Python.

Answers in every channel, private channel and conversation that it can see, also in those that it is added to later.

    apt install python3-socketio python3-websocket
    PARLEY_URL=… PARLEY_TOKEN=… /usr/bin/python3 raw.py
"""
import hashlib
import os
import queue
import uuid

import socketio

io = socketio.Client()
received = queue.Queue()  # processed one by one, because the client calls handlers in several threads
for event in ("ready", "changes", "head", "closing"):
    io.on(event, lambda payload, event=event: received.put((event, payload)))

me = epoch = None
versions = {}  # of each room that the bot is in: all changes up to this version are applied


def ask(command, **given):
    """Sends a command, and returns the value of its answer."""
    answer = io.call(command, given)
    if not answer["ok"]:
        error = answer["error"]
        raise RuntimeError(f"{command}: {error['message']} (request {error['requestId']})")
    return answer["value"]


# ------------------------------------------------------------------ entering rooms


def enter_server(server):
    entered(ask("server:open", serverId=server["id"]))


def enter_channel(channel):
    enter_timeline("channel:join", channel["id"], channelId=channel["id"])


def enter_conversation(conversation):
    enter_timeline("conversation:open", conversation["id"], conversationId=conversation["id"])


def enter_timeline(command, timeline_id, **given):
    since = versions.get(f"timeline:{timeline_id}")
    entered(ask(command, **given, **({} if since is None else {"since": since})))


# Slices of a room's state whose rows are places to enter. The row in a server's own room is that server.
slices = {
    "servers": enter_server,
    "channels": enter_channel,
    "privateChannels": enter_channel,
    "conversations": enter_conversation,
}
# Changes that add a place, each with a row of the same kinds.
arrivals = {
    "server:joined": ("server", enter_server),
    "channel:created": ("channel", enter_channel),
    "channel:opened": ("channel", enter_channel),
    "privateChannel:joined": ("channel", enter_channel),
    "conversation:created": ("conversation", enter_conversation),
}


def entered(entry):
    """Applies the answer to a command that enters a room, or `ready`, which enters the bot's own room."""
    room, status = entry["room"], entry["status"]
    if status == "gone":
        versions.pop(room, None)
    elif status == "changes":  # after a reconnect: the missed changes
        apply_changes({**entry, "to": entry["version"]})
    elif status == "snapshot":
        versions.setdefault(room, entry["version"])
        if "after" not in entry:
            versions[room] = entry["version"]
        for name, rows in entry["state"].items():
            for row in rows:
                if name in slices and room != f"server:{row['id']}":
                    slices[name](row)
        if "more" in entry:  # the rest did not fit the answer
            catch_up([room], after={room: entry["more"]})


def catch_up(rooms, **given):
    """Asks for the missing changes of these rooms, and enters the rooms again."""
    for start in range(0, len(rooms), 200):
        asked = {room: versions[room] for room in rooms[start : start + 200]}
        answer = ask("sync", epoch=epoch, rooms=asked, **given)
        for entry in answer["rooms"]:
            if entry["status"] == "later":
                catch_up([entry["room"]])
            else:
                entered(entry)


# ------------------------------------------------------------------ changes


def apply_changes(payload):
    room = payload["room"]
    if room not in versions or payload["to"] <= versions[room]:
        return  # not entered, or applied already
    if payload["from"] > versions[room]:
        return catch_up([room])  # earlier changes were lost
    for change in payload["changes"]:
        if change["version"] <= versions[room]:
            continue
        if change["type"] in arrivals:
            noun, enter = arrivals[change["type"]]
            enter(change[noun])
        elif change["type"] == "message:created":
            answer_ping(change["message"])
        versions[room] = change["version"]  # if the connection is lost before this line, the change arrives again
    versions[room] = payload["to"]


def answer_ping(message):
    if message["authorId"] != me and message["body"] == "!ping":
        ask("message:send", timelineId=message["timelineId"], body="pong", id=reply_id(message))


def reply_id(message):
    """Returns the same id for the same message, so that a repeated reply is the same message."""
    digest = hashlib.sha256(f"{me} {message['id']} 0".encode()).digest()
    made = bytearray(uuid.UUID(message["id"]).bytes[:6] + digest[:10])
    made[6] = 0x70 | made[6] & 0x0F
    made[8] = 0x80 | made[8] & 0x3F
    return str(uuid.UUID(bytes=bytes(made)))


io.connect(
    os.environ["PARLEY_URL"],
    transports=["websocket"],
    auth={"protocol": 1, "token": os.environ["PARLEY_TOKEN"]},
)


def handle(event, payload):
    global me, epoch
    if event == "ready":
        if payload["epoch"] != epoch:
            versions.clear()  # the first connection, or the database was restored
        me, epoch = payload["you"]["id"], payload["epoch"]
        entered(payload)
        print(f"Connected as {payload['you']['name']}", flush=True)
    elif event == "changes":
        apply_changes(payload)
    elif event == "head":
        if payload["version"] is None:
            versions.pop(payload["room"], None)  # access was lost
        elif payload["version"] > versions.get(payload["room"], payload["version"]):
            catch_up([payload["room"]])
    elif event == "closing" and not payload["retry"]:
        raise SystemExit(payload["reason"])


while True:
    try:
        handle(*received.get(timeout=30))
    except queue.Empty:
        if io.connected:
            catch_up(list(versions))  # detects lost changes that no later change followed
    except socketio.exceptions.SocketIOError:
        pass  # connection lost: the client reconnects, and `ready` arrives again
