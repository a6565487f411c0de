import { serverEvents } from '../../shared/events.ts';
import { httpRoutesOf, type Contract } from '../../shared/contract.ts';
import { failures, generalCodes, type FailureCode } from '../../shared/failure.ts';
import { limits, rates } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { commands, protocolVersion, type CommandName } from '../../shared/protocol.ts';
import { changeShapes, roomSlices, sliceKeys, type ChangeType } from '../../shared/rooms.ts';
import { fileSection } from './file-routes.ts';
import { frames } from './frames.ts';
import { meanings } from './openapi.ts';
import {
  changeOf,
  changeTypes,
  commandNames,
  eventNames,
  eventOf,
  inputName,
  outputName,
  shapes,
  things,
  sharedShapes,
  type Dialect,
  type Shape,
} from './shapes.ts';
import { fieldRows, markdownTable, wordsFor } from './words.ts';

const dialect: Dialect = { target: 'draft-2020-12', at: '#' };

export function freshReference(): string {
  const all = shapes(dialect);
  const shape = (name: string): Shape => all[name] ?? {};
  const parts = [
    preface,
    clientRules,
    `## Errors\n\n${onErrors}\n\n${errors()}`,
    `## Limits\n\nLengths are in characters, sizes in bytes. \`ready\` tells them too.\n\n${numbers()}`,
    `## Rates\n\n${onRates}\n\n${speeds()}`,
    '## Commands',
    ...commandNames.map((name) => command(name, shape(inputName(name)), shape(outputName(name)))),
    fileSection,
    '## Events',
    ...eventNames.map((event) =>
      [
        `### Event \`${event}\``,
        serverEvents[event].summary,
        fields(shape(eventOf(event)), 'Carries'),
        ...onTheWire(frames.events[event]),
      ].join('\n\n'),
    ),
    `## Changes\n\n${onChanges}\n\n${changes()}`,
    ...changeTypes.map((type) =>
      [`### Change \`${type}\``, ...onTheWire(frames.changes[type])].join('\n\n'),
    ),
    '## Shapes',
    ...Object.keys({ ...sharedShapes, ...things })
      .filter((name) => name !== 'Change')
      .map((name) => `### ${name}\n\n${fields(shape(name), 'Is')}`),
  ];
  return `${parts.join('\n\n')}\n`;

  function changes(): string {
    const rows = changeTypes.map((type) => {
      const { properties = {} } = shape(changeOf(type));
      const carried = Object.entries(properties).filter(
        ([key]) => !['type', 'version'].includes(key),
      );
      const what = carried.map(([key, value]) => `\`${key}\`: ${wordsFor(value as Shape)}`);
      return [`\`${type}\``, roomsOf(type), `\`${changeShapes[type].slice}\``, what.join(', ')];
    });
    return markdownTable(['type', 'heard in', 'slice', 'carries'], rows);
  }
}

function command(name: CommandName, input: Shape, output: Shape): string {
  const contract: Contract = commands[name];
  const { points, seconds } = rates[contract.rate];
  const said = frames.commands[name];
  const routes = httpRoutesOf(contract).map((route) => `\`${route}\``);
  const facts = [
    contract.who === 'people' ? 'For people, not for bots.' : 'For people and bots.',
    `Rate: \`${contract.rate}\`, ${points} in ${seconds} s.`,
    ...(routes.length > 0 ? [`Over HTTP: ${routes.join(' and ')}.`] : []),
    `Errors: ${[...contract.errors.map(code), '[those of any command](#errors)'].join(', ')}.`,
  ];
  return [
    `### ${name}`,
    contract.summary,
    facts.join(' '),
    fields(input, 'Takes'),
    fields(output, 'Answers'),
    ...onTheWire(said?.answered, said?.asked),
  ].join('\n\n');
}

/** Recorded frames. New items have none yet, and a test reports it. */
function onTheWire(from: string | undefined, to?: string): string[] {
  if (from === undefined) return [];
  const lines = [...(to === undefined ? [] : [`→ ${to}`]), `← ${from}`];
  return [['```', ...lines, '```'].join('\n')];
}

function fields(shape: Shape, verb: string): string {
  if (shape.properties === undefined) return `${verb} ${wordsFor(shape)}.`;
  const rows = fieldRows(shape);
  if (rows.length === 0) return `${verb} \`{}\`.`;
  const rule = shape.description === undefined ? '' : ` ${shape.description}`;
  return `${verb}:${rule}\n\n${markdownTable(['field', 'what it is', ''], rows)}`;
}

/** Returns the kinds of room with the change’s slice. `servers` is in two, and the type of the change says which. */
function roomsOf(type: ChangeType): string {
  const { slice } = changeShapes[type];
  const kinds = Object.entries(roomSlices).filter(([, slices]) =>
    (slices as readonly string[]).includes(slice),
  );
  return kinds.map(([kind]) => `\`${kind}:<id>\``).join(', ');
}

const errors = () =>
  markdownTable(
    ['code', 'over HTTP', 'try again', 'meaning'],
    (Object.keys(failures) as FailureCode[]).map((name) => [
      code(name),
      String(failures[name].status),
      failures[name].retryable ? 'yes' : 'no',
      meanings[name],
    ]),
  );

const code = (name: string) => `\`${name}\``;

const numbers = () =>
  markdownTable(
    ['limit', 'at most'],
    Object.entries({ ...limits, ...quotas }).map(([name, value]) => [
      `\`${name}\``,
      value.toLocaleString('en'),
    ]),
  );

const speeds = () =>
  markdownTable(
    ['rate', 'how many', 'in seconds'],
    Object.entries(rates).map(([name, { points, seconds }]) => [
      `\`${name}\``,
      points.toLocaleString('en'),
      seconds.toLocaleString('en'),
    ]),
  );

const preface = `<!-- Written by npm run docs -->

# The protocol, version ${protocolVersion}

All that goes over the wire, as the server reads and checks it. For tools every Parley serves the same as
AsyncAPI (the socket, \`/docs/asyncapi.json\`), OpenAPI (HTTP, \`/docs/openapi.json\`) and JSON Schema (\`/docs/schema.json\`).

A command is \`socket.emit(name, input, ack)\`: one input object, and one answer, \`{ ok: true, value }\` or
\`{ ok: false, error }\`, where \`error\` is a [Failure](#failure). Over HTTP the reply is the value, or
\`{ error }\` under the status of its code. In an input, keys that are not named here are refused; answers, events and rows may
have more keys in time.

The examples are frames that went over the wire while the tests were looking, to the server (→) and from it (←).
Only ids, times and secrets are others. [The walk along the wire](../wire.md) says what surrounds the JSON.`;

function slices(): string {
  const rows = Object.entries(roomSlices).map(([kind, names]) => [
    `\`${kind}:<id>\``,
    names.map((name) => `\`${name}\` (by \`${sliceKeys[name]}\`)`).join(', '),
  ]);
  return markdownTable(['room', 'its slices, and the key of their rows'], rows);
}

const clientRules = `## Rules for clients

What a client must do to hold what is; [the walk along the wire](../wire.md) shows it step by step, and
[the page about bots](../bots.md#without-the-library) how everything is entered.

1. Say nothing before the server’s \`40{sid}\`, and wait for \`ready\`: it is the first event, and the snapshot of your own room.
2. Of each room keep \`version\` and, by their keys, the rows of its slices. A snapshot replaces all of them. A snapshot with
   \`more\` is [a part](../bots.md#what-does-not-fit-one-answer).
3. Apply \`changes\` whose \`from\` is at most your version and whose \`to\` is more: of each change with a higher \`version\` than
   yours, put the row into its [slice](#changes), or take the row out. Then \`to\` is your version. If \`to\` is not more, ignore them; if \`from\` is
   more, wait a second for what is missing, then ask \`sync\`.
4. \`head\` says how far a room is: if you are behind for a second, ask \`sync\`. With \`version: null\` you are out of the room: forget it.
5. Ask \`sync\` after each reconnect, and every half a minute, with all rooms that you hold and the \`epoch\`. When the
   epoch is another, forget all rooms: the database was restored.
6. \`people\` says who they are whom the rows beside it name: every id that is a [PersonId](#personid), those in the texts of
   messages (\`<@id>\`) too, and whose the bots among them are. Keep them: a \`privateChannel:updated\` of a
   channel with more than 50 members brings only those who are new to it, and lossy events other than \`people\` bring nobody. Of two with one id, the higher \`rev\` is newer. Of a private channel with hundreds of members whose names are
   very long, \`people\` has as many as fit 128 KB; \`member:list\` with \`userIds\` names the others, as it does for an answer of
   one row (\`{ message }\`), which has no \`people\`.
7. Events without a version may get lost. \`closing\` says whether to come back (\`retry\`), and when (\`retryAfterMs\`).
8. \`presence\` of an answer replaces what you hold of a room, but not what an event told since you asked: keep that of people whom
   the answer’s \`presence\` does not name, and of the others if the event’s \`version\` is not lower than \`presenceVersion\`.
9. Ignore events, types of change, slices and keys that you do not know: [they may be added](../bots.md#versions-of-the-protocol).`;

const onErrors = `The list is closed, and every error has a \`requestId\`. Any command may answer ${generalCodes.map(code).join(', ')}, and to a bot
\`forbidden\` what is for people. What else it may answer is said at each.`;

const onRates = `The commands’ rates count for each account; the others for each account or address that someone signs in from, or for all of them together. Clients that are too fast are told when to try again.`;

const onChanges = `What the event \`changes\` carries: each has its \`type\`, the \`version\` to which it brings its room, and either a
whole row, new or as it is now, or the id of the row that is gone. Its slice says to which list of the room's \`state\` the row
belongs.

${slices()}`;
