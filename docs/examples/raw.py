"""Ping without the library, in a language of its own: any Socket.IO client will do.

It answers in every channel, private channel and conversation that it may see, those that it is let into later too.

    apt install python3-socketio python3-websocket
    PARLEY_URL=… PARLEY_TOKEN=… /usr/bin/python3 raw.py
"""
import hashlib
import os
import queue
import uuid

import socketio

io = socketio.Client()
heard = queue.Queue()  # one thing after the other, although the client calls from many threads
for event in ("ready", "changes", "head", "closing"):
    io.on(event, lambda what, event=event: heard.put((event, what)))

me = epoch = None
versions = {}  # of each room that it is in: what has happened up to there is known


def ask(command, **given):
    """Sends a command, and returns its value."""
    answer = io.call(command, given)
    if not answer["ok"]:
        error = answer["error"]
        raise RuntimeError(f"{command}: {error['message']} (request {error['requestId']})")
    return answer["value"]


# ------------------------------------------------------------------ into the rooms


def enter_server(server):
    entered(ask("server:open", serverId=server["id"]))


def enter_channel(channel):
    enter_timeline("channel:join", channel["id"], channelId=channel["id"])


def enter_conversation(conversation):
    enter_timeline("conversation:open", conversation["id"], conversationId=conversation["id"])


def enter_timeline(command, timeline_id, **given):
    since = versions.get(f"timeline:{timeline_id}")
    entered(ask(command, **given, **({} if since is None else {"since": since})))


# What is in a room's state, and how it is entered in turn. A server's room has that server itself, which is entered.
slices = {
    "servers": enter_server,
    "channels": enter_channel,
    "privateChannels": enter_channel,
    "conversations": enter_conversation,
}
# What comes later: a row of the same kinds.
arrivals = {
    "server:joined": ("server", enter_server),
    "channel:created": ("channel", enter_channel),
    "channel:opened": ("channel", enter_channel),
    "privateChannel:joined": ("channel", enter_channel),
    "conversation:created": ("conversation", enter_conversation),
}


def entered(entry):
    """Takes in the answer with which a room is entered, or `ready`, which enters one's own."""
    room, status = entry["room"], entry["status"]
    if status == "gone":
        versions.pop(room, None)
    elif status == "changes":  # back again: what was missed
        happened({**entry, "to": entry["version"]})
    elif status == "snapshot":
        versions.setdefault(room, entry["version"])
        if "after" not in entry:
            versions[room] = entry["version"]
        for name, rows in entry["state"].items():
            for row in rows:
                if name in slices and room != f"server:{row['id']}":
                    slices[name](row)
        if "more" in entry:  # it did not fit one answer
            catch_up([room], after={room: entry["more"]})


def catch_up(rooms, **given):
    """Asks what is missing of these rooms, and enters them again."""
    for start in range(0, len(rooms), 200):
        asked = {room: versions[room] for room in rooms[start : start + 200]}
        answer = ask("sync", epoch=epoch, rooms=asked, **given)
        for entry in answer["rooms"]:
            if entry["status"] == "later":
                catch_up([entry["room"]])
            else:
                entered(entry)


# ------------------------------------------------------------------ what happens there


def happened(what):
    room = what["room"]
    if room not in versions or what["to"] <= versions[room]:
        return  # not entered, or known
    if what["from"] > versions[room]:
        return catch_up([room])  # something before it was lost
    for change in what["changes"]:
        if change["version"] <= versions[room]:
            continue
        if change["type"] in arrivals:
            noun, enter = arrivals[change["type"]]
            enter(change[noun])
        elif change["type"] == "message:created":
            hear(change["message"])
        versions[room] = change["version"]  # done: if the connection is lost before, it comes again
    versions[room] = what["to"]


def hear(message):
    if message["authorId"] != me and message["body"] == "!ping":
        ask("message:send", timelineId=message["timelineId"], body="pong", id=reply_id(message))


def reply_id(message):
    """Always the same for the same message: sent again, it is the same reply."""
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


def take_in(event, what):
    global me, epoch
    if event == "ready":
        if what["epoch"] != epoch:
            versions.clear()  # the first time, or the database was restored
        me, epoch = what["you"]["id"], what["epoch"]
        entered(what)
        print(f"Connected as {what['you']['name']}", flush=True)
    elif event == "changes":
        happened(what)
    elif event == "head":
        if what["version"] is None:
            versions.pop(what["room"], None)  # out of it
        elif what["version"] > versions.get(what["room"], what["version"]):
            catch_up([what["room"]])
    elif event == "closing" and not what["retry"]:
        raise SystemExit(what["reason"])


while True:
    try:
        take_in(*heard.get(timeout=30))
    except queue.Empty:
        if io.connected:
            catch_up(list(versions))  # finds what was lost when nothing followed it
    except socketio.exceptions.SocketIOError:
        pass  # cut off: the client connects again, and `ready` comes once more
