"""Ping without the library, in a language of its own: any Socket.IO client will do.

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
for event in ("ready", "changes", "closing"):
    io.on(event, lambda what, event=event: heard.put((event, what)))

versions = {}  # of each room: what has happened up to there is known


def ask(command, **given):
    """Sends a command, and returns its value."""
    answer = io.call(command, given)
    if not answer["ok"]:
        raise RuntimeError(f"{command}: {answer['error']['message']}")
    return answer["value"]


def enter_all(me):
    for server in ask("server:list")["servers"]:
        for channel in ask("server:open", serverId=server["id"])["state"]["channels"]:
            room = f"timeline:{channel['id']}"
            since = {"since": versions[room]} if room in versions else {}
            entry = ask("channel:join", channelId=channel["id"], **since)
            if entry["status"] == "changes":  # back again: what was missed
                happened(me, {**entry, "to": entry["version"]})
            versions[room] = entry["version"]


def happened(me, what):
    room = what["room"]
    if not what["from"] <= versions.get(room, -1) < what["to"]:
        return  # known; or too early, which a client that must miss nothing heals with `sync`
    versions[room] = what["to"]
    for change in what["changes"]:
        message = change.get("message")
        if change["type"] == "message:created" and message["authorId"] != me:
            if message["body"] == "!ping":
                ask("message:send", timelineId=message["timelineId"], body="pong", id=reply_id(me, message))


def reply_id(me, message):
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
me = None
while True:
    event, what = heard.get()
    if event == "ready":
        me = what["you"]["id"]
        enter_all(me)
        print(f"Connected as {what['you']['name']}", flush=True)
    elif event == "changes":
        happened(me, what)
    elif not what["retry"]:
        raise SystemExit(what["reason"])
