/** The walk along the wire, for authors of clients: each kind of frame, as one bot sent and received it. */
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
    before: `Open a WebSocket at \`/socket.io/?EIO=4&transport=websocket\`; there is no long polling. The server speaks first: \`0\` opens
the connection, and says how often it pings and how many bytes a frame may have. Answer with \`40\` and who you are: the
version of the protocol and a bot's token. A person's client sends the session's cookie with the WebSocket instead, and
no token. Then say nothing before the server’s \`40{sid}\`: to anything else the connection ends without a word.`,
    after: `\`40\` from the server lets you in. Nothing you say is answered before \`ready\`, which is the first event that you hear: it
enters your own room, \`user:<id>\`, with all that is in it (\`state\`), and says who you are (\`you\`) and all limits. Keep
\`epoch\`, and for each room its \`version\`.`,
  },
  enter: {
    title: 'Enter',
    before: `A command is \`42\`, a number of your choice, and its name and input as JSON; its answer is \`43\` with the same number.
Enter a server, then each channel that you want to hear: the answer is what is in the room, at one version.`,
    after: `\`people\` has everybody whom the rows name by id ([rule 6](reference/README.md#rules-for-clients)), \`presence\` who of them is there. A room that you have held before is entered
with \`since\`, its version, and answers with what changed (\`changes\`), or that nothing did (\`current\`).`,
  },
  send: {
    title: 'Send',
    before: `The id is yours, a version 7 UUID. If no answer comes, send the same again, with the same id: it is one message,
however often it arrives.`,
    after: `You receive your own message like everyone else, before the answer or after it. \`changes\` leads its room from one version to
another: apply it if \`from\` is at most what you hold and \`to\` is more; ignore it if \`to\` is not more. If \`from\` is
more, something is missing: wait a second for it, then ask \`sync\`. Events like \`read\`, which says that your own message counts as read, have no versions and may get lost.`,
  },
  hear: {
    title: 'Hear',
    before: 'What others do comes in the same way, without having been asked for.',
  },
  refused: {
    title: 'Be refused',
    before: `\`error\` has a \`code\` from a closed list, and says whether the same may be tried again (\`retryable\`), and when at the
earliest (\`retryAfterMs\`). \`requestId\` finds it in the server’s log.`,
  },
  ping: {
    title: 'Stay',
    before: `The server pings every \`pingInterval\` milliseconds; answer immediately. If you receive nothing for \`pingInterval\` and \`pingTimeout\` together, the connection is lost: connect again.`,
  },
  back: {
    title: 'Come back',
    before: `The connection was cut, and there are new messages. Connect again; wait a little longer before each attempt, and not as long as all other clients. \`timelines\` in \`ready\` says what is unread where.`,
  },
  sync: {
    title: 'Catch up',
    before: `Say with \`sync\` what you hold of each room. Those that changed answer as when they are entered, and you are in all of them
again; \`gone\` means that a room is no more, or no longer yours. With another epoch than the server’s, everything is
answered whole.`,
    after: `Ask it also every half a minute while you are connected: then whatever got lost on the way is found.`,
  },
  end: {
    title: 'Be closed',
    before: `Before the server closes a socket by itself it says why. With \`retry: true\` come back, after \`retryAfterMs\` if that is
given; with \`retry: false\` do not. Here the bot’s owner made a new token.`,
  },
  'turned away': {
    title: 'Be turned away',
    before: `A refused client gets \`44\` with the reason in \`data\`, which is an error as above. For example with the old token:`,
  },
};

const preface = `<!-- Written by npm run docs -->

# The walk along the wire, protocol ${protocolVersion}

What a client sends and receives from its first frame on, for writing one without a Socket.IO library, or for seeing what yours does. Each line is one frame of text, to the server (→) or from it (←), as it went over the wire while the
tests were looking; only ids, times and secrets are others. [The reference](reference/README.md) has every command, event
and change, and [the page about bots](bots.md) how to get a token.

A frame begins with its kind: a digit of Engine.IO's, and after \`4\`, which is a message, one of Socket.IO's.

| frame | from | what it is |
| --- | --- | --- |
| \`0{…}\` | server | the connection is open |
| \`2\`, \`3\` | server, client | ping, and its answer |
| \`40{…}\` | client, server | who I am; you are let in |
| \`44{…}\` | server | you are not let in |
| \`42…[name, input]\` | client | a command, with the number that its answer will have |
| \`43…[answer]\` | server | the answer: \`{ ok: true, value }\` or \`{ ok: false, error }\` |
| \`42[name, payload]\` | server | an event |
| \`41\` | both | the end |`;

const otherwise = `## What else may come

Within a version of the protocol things are added: ignore events, types of change and keys that you do not know
([what may change](bots.md#versions-of-the-protocol)). Send no more than \`maxPayload\` bytes in a frame, and nothing binary but the bytes of \`file:chunk\`.`;
