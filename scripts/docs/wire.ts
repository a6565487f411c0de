import { protocolVersion } from '../../shared/protocol.ts';
import { chapters, frames, type Chapter } from './frames.ts';

export function freshWire(): string {
  const parts = chapters.map((chapter) => {
    const { title, before, after } = texts[chapter];
    const lines = ['```', ...(frames.walk[chapter] ?? []), '```'].join('\n');
    return [`## ${title}`, before, lines, ...(after === undefined ? [] : [after])].join('\n\n');
  });
  return `${[preface, ...parts, otherwise].join('\n\n')}\n`;
}

interface ChapterText {
  title: string;
  before: string;
  after?: string;
}

const texts: Record<Chapter, ChapterText> = {
  connect: {
    title: 'Connect',
    before: `Open a WebSocket at \`/socket.io/?EIO=4&transport=websocket\`; there is no long polling. The server sends \`0\` first, with the
interval of its pings and the maximum number of bytes in a frame. Answer with \`40\`, the version of the protocol and a
bot’s token. A person’s client sends no token, but the cookie of its session with the WebSocket. Then send nothing before
the server’s \`40{sid}\`: after any other frame, the connection ends without a message.`,
    after: `With \`40{sid}\`, the server has accepted the connection. Nothing that you send is answered before \`ready\`, which is the
first event. It enters your own room, \`user:<id>\`, with its whole \`state\`, and has your account (\`you\`) and all limits.
Keep \`epoch\`, and the \`version\` of each room.`,
  },
  enter: {
    title: 'Enter',
    before: `A command is \`42\`, a number that you choose, and its name and input as JSON. Its answer is \`43\` with the same number.
Enter a server, then each channel that you want to receive. The answer is the state of the room, at one version.`,
    after: `\`people\` has everyone that the rows refer to by id ([rule 6](reference/README.md#rules-for-clients)), and \`presence\` their
status. Enter a room that you held before with \`since\`, its version. The answer has the changes since then (\`changes\`), or
says that there are none (\`current\`).`,
  },
  send: {
    title: 'Send',
    before: `You create the id, a version 7 UUID. If no answer arrives, send the same message again with the same id. It is one
message, however often it arrives.`,
    after: `You receive your own message like everyone else, before or after the answer. \`changes\` brings its room from one version to
another. Apply it if \`from\` is at most the version that you hold and \`to\` is higher; ignore it if \`to\` is not higher. If
\`from\` is higher, changes are missing: wait a second for them, then send \`sync\`. Events without a version, such as
\`read\`, which says that your own message counts as read, may get lost.`,
  },
  hear: {
    title: 'Receive',
    before: 'Changes by others arrive in the same way, without a request.',
  },
  refused: {
    title: 'Errors',
    before: `\`error\` has a \`code\` from a closed list, and says whether you can try the same again (\`retryable\`) and after how long
(\`retryAfterMs\`). \`requestId\` identifies the request in the server’s log.`,
  },
  ping: {
    title: 'Keep alive',
    before: `The server pings every \`pingInterval\` milliseconds; answer immediately. If you receive nothing for \`pingInterval\` and \`pingTimeout\` together, the connection is lost: connect again.`,
  },
  back: {
    title: 'Reconnect',
    before: `The connection was lost, and there are new messages. Connect again, with exponential backoff and jitter. \`timelines\` in \`ready\` lists the timelines with unread messages.`,
  },
  sync: {
    title: 'Catch up',
    before: `Send the version that you hold of each room with \`sync\`. For changed rooms, the answer is the same as when you enter
them. You are in all of the rooms again, except those with the status \`gone\`: these no longer exist, or you lost access. If
your epoch differs from the server’s, every answer is a snapshot.`,
    after: `Also send \`sync\` every half minute while you are connected, to detect lost changes.`,
  },
  end: {
    title: 'Closing',
    before: `Before the server closes a socket, it sends the reason. With \`retry: true\`, reconnect, after \`retryAfterMs\` if it is given.
With \`retry: false\`, do not reconnect. Here the bot’s owner created a new token.`,
  },
  'turned away': {
    title: 'Refused connections',
    before: `A refused client receives \`44\` with the reason in \`data\`, which is an error as above. For example, with the old token:`,
  },
};

const preface = `<!-- Written by npm run docs -->

# The walk along the wire, protocol ${protocolVersion}

This page shows the frames that a client sends and receives from the start of its connection. Use it to write a client
without a Socket.IO library, or to understand what yours does. Each line is one text frame, to the server (→) or from it
(←), as recorded during the tests; only ids, times and secrets are replaced. [The reference](reference/README.md) has every
command, event and change, and [the page about bots](bots.md) explains how to get a token.

A frame begins with its type: a digit of Engine.IO, and after \`4\`, which is a message, a digit of Socket.IO.

| frame | from | meaning |
| --- | --- | --- |
| \`0{…}\` | server | the connection is open |
| \`2\`, \`3\` | server, client | ping and pong |
| \`40{…}\` | client, server | credentials; the connection is accepted |
| \`44{…}\` | server | the connection is refused |
| \`42…[name, input]\` | client | a command, with the number of its answer |
| \`43…[answer]\` | server | the answer: \`{ ok: true, value }\` or \`{ ok: false, error }\` |
| \`42[name, payload]\` | server | an event |
| \`41\` | both | the end of the connection |`;

const otherwise = `## Additions and limits

Within a version of the protocol, things are added: ignore events, types of change and keys that you do not know
([possible changes](bots.md#versions-of-the-protocol)). Send at most \`maxPayload\` bytes in a frame, and no binary data
except the bytes of \`file:chunk\`.`;
