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
    `## Limits\n\nLengths are in characters, sizes in bytes. \`ready\` has them too.\n\n${numbers()}`,
    `## Rates\n\n${onRates}\n\n${speeds()}`,
    '## Commands',
    ...commandNames.map((name) => command(name, shape(inputName(name)), shape(outputName(name)))),
    fileSection,
    '## Events',
    ...eventNames.map((event) =>
      [
        `### Event \`${event}\``,
        serverEvents[event].summary,
        fields(shape(eventOf(event)), 'Payload'),
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
      .map((name) => `### ${name}\n\n${fields(shape(name), 'Value')}`),
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
    return markdownTable(['type', 'rooms', 'slice', 'carries'], rows);
  }
}

function command(name: CommandName, input: Shape, output: Shape): string {
  const contract: Contract = commands[name];
  const { points, seconds } = rates[contract.rate];
  const said = frames.commands[name];
  const routes = httpRoutesOf(contract).map((route) => `\`${route}\``);
  const facts = [
    contract.who === 'people' ? 'For people only, not for bots.' : 'For people and bots.',
    `Rate: \`${contract.rate}\`, ${points} in ${seconds} s.`,
    ...(routes.length > 0 ? [`Over HTTP: ${routes.join(' and ')}.`] : []),
    `Errors: ${[...contract.errors.map(code), '[those of any command](#errors)'].join(', ')}.`,
  ];
  return [
    `### ${name}`,
    contract.summary,
    facts.join(' '),
    fields(input, 'Input'),
    fields(output, 'Output'),
    ...onTheWire(said?.answered, said?.asked),
  ].join('\n\n');
}

/** Recorded frames. New items have none yet, and a test reports it. */
function onTheWire(from: string | undefined, to?: string): string[] {
  if (from === undefined) return [];
  const lines = [...(to === undefined ? [] : [`→ ${to}`]), `← ${from}`];
  return [['```', ...lines, '```'].join('\n')];
}

function fields(shape: Shape, label: string): string {
  if (shape.properties === undefined) return `${label}: ${wordsFor(shape)}.`;
  const rows = fieldRows(shape);
  if (rows.length === 0) return `${label}: \`{}\`.`;
  const rule = shape.description === undefined ? '' : ` ${shape.description}`;
  return `${label}:${rule}\n\n${markdownTable(['field', 'value', ''], rows)}`;
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

This reference describes all messages of the protocol, generated from the schemas with which the server checks them. For
tools, every Parley serves the same as AsyncAPI (the socket, \`/docs/asyncapi.json\`), OpenAPI (HTTP,
\`/docs/openapi.json\`) and JSON Schema (\`/docs/schema.json\`).

A command is \`socket.emit(name, input, ack)\`, with one input object and one answer: \`{ ok: true, value }\` or
\`{ ok: false, error }\`, where \`error\` is a [Failure](#failure). Over HTTP, the reply is the value, or \`{ error }\` with the
status of its code. Unknown keys of an input are refused. Keys may be added to answers, events and rows.

The examples are frames recorded during the tests, to the server (→) and from it (←). Only ids, times and secrets are
replaced. [The walk along the wire](../wire.md) describes the complete frames.`;

function slices(): string {
  const rows = Object.entries(roomSlices).map(([kind, names]) => [
    `\`${kind}:<id>\``,
    names.map((name) => `\`${name}\` (by \`${sliceKeys[name]}\`)`).join(', '),
  ]);
  return markdownTable(['room', 'its slices, and the key of their rows'], rows);
}

const clientRules = `## Rules for clients

A client that follows these rules holds the current state. [The walk along the wire](../wire.md) shows them step by step,
and [the page about bots](../bots.md#without-the-library) lists how each room is entered.

1. Send nothing before the server’s \`40{sid}\`, and wait for \`ready\`, which is the first event and the snapshot of your own
   room.
2. For each room, keep its \`version\` and the rows of its slices by their keys. A snapshot replaces all of them. A snapshot
   with \`more\` is [a part](../bots.md#what-does-not-fit-one-answer).
3. Apply \`changes\` whose \`from\` is at most your version and whose \`to\` is higher: for each change with a higher \`version\`
   than yours, put the row into its [slice](#changes), or remove the row. Then \`to\` is your version. If \`to\` is not higher,
   ignore them. If \`from\` is higher, wait a second for the missing changes, then send \`sync\`.
4. \`head\` has the current version of a room. If you are behind for a second, send \`sync\`. With \`version: null\`, you lost
   access to the room: drop it.
5. Send \`sync\` after each reconnect and every half minute, with all rooms that you hold and the \`epoch\`. If the epoch
   changes, drop all rooms: the database was restored.
6. \`people\` describes everyone to whom the rows next to it refer: every id that is a [PersonId](#personid), also in the
   texts of messages (\`<@id>\`), and the owners of bots. Keep them: a \`privateChannel:updated\` of a channel with more than 50
   members has only its new members, and lossy events other than \`people\` have no one. If you have two with one id, the one
   with the higher \`rev\` is newer. For a private channel with hundreds of members with very long names, \`people\` has as many
   as fit into 128 KB; \`member:list\` with \`userIds\` returns the others. The same applies to an answer of one row
   (\`{ message }\`), which has no \`people\`.
7. Events without a version may get lost. \`closing\` says whether to reconnect (\`retry\`), and when (\`retryAfterMs\`).
8. The \`presence\` of an answer replaces the presence that you hold for a room, except the events that you received since the
   request: keep those about people who are not in the answer’s \`presence\`, and the others if the event’s \`version\` is not
   lower than \`presenceVersion\`.
9. Ignore events, types of change, slices and keys that you do not know: [they may be added](../bots.md#versions-of-the-protocol).`;

const onErrors = `The list is closed, and every error has a \`requestId\`. Any command can return ${generalCodes.map(code).join(', ')}. Commands
for people return \`forbidden\` to bots. Further errors are listed with each command.`;

const onRates = `The rates of commands count for each account; the others count for each account or address, or for all of them together. A client that is too fast receives the time to wait.`;

const onChanges = `The event \`changes\` carries these. Each has its \`type\`, the \`version\` to which it brings its room, and either a whole
row, new or current, or the id of the removed row. Its slice is the list in the room’s \`state\` to which the row belongs.

${slices()}`;
