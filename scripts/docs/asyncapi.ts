import type { Contract } from '../../shared/contract.ts';
import { serverEvents } from '../../shared/events.ts';
import { generalCodes } from '../../shared/failure.ts';
import { commands, protocolVersion, type CommandName } from '../../shared/protocol.ts';
import { exchangeOf, payloadOf } from './frames.ts';
import {
  commandNames,
  eventNames,
  eventOf,
  inputName,
  outputName,
  dottedName,
  print,
  refer,
  shapes,
  type Dialect,
  type Shape,
} from './shapes.ts';

const dialect: Dialect = { target: 'draft-7', at: '#/components/schemas/' };

export function freshAsyncApi(): string {
  const messages = {
    ...Object.fromEntries(commandNames.map((name) => [dottedName(name), request(name)])),
    ...Object.fromEntries(commandNames.map((name) => [`${dottedName(name)}.ack`, ack(name)])),
    ...Object.fromEntries(eventNames.map((event) => [event, said(event)])),
  };
  return print({
    asyncapi: '3.1.0',
    info: {
      title: 'Parley by socket',
      version: String(protocolVersion),
      description,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      here: {
        host: 'chat.example',
        protocol: 'wss',
        pathname: '/socket.io/',
        description: 'Socket.IO, protocol 5, over WebSocket only.',
      },
    },
    channels: {
      socket: {
        address: '/',
        title: 'The default namespace',
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      ...Object.fromEntries(commandNames.map((name) => [dottedName(name), asked(name)])),
      ...Object.fromEntries(eventNames.map((event) => [event, emitted(event)])),
    },
    components: { messages, schemas: shapes(dialect) },
  });
}

const description = [
  'Connect with `auth: { protocol }` and a session’s cookie, or with `auth: { protocol, token }` as a bot (`handshake.auth`). A rejected client receives the reason in `connect_error`, as `err.data` (`handshake.refused`). An accepted client gets `ready` before anything else.',
  'A command is an event with one input object and an ack. A message’s `name` is the event’s name.',
].join('\n\n');

const channel = { $ref: '#/channels/socket' };
const inChannel = (name: string) => ({ $ref: `#/channels/socket/messages/${name}` });

const asked = (name: CommandName) => ({
  action: 'receive',
  channel,
  summary: commands[name].summary,
  messages: [inChannel(dottedName(name))],
  reply: { channel, messages: [inChannel(`${dottedName(name)}.ack`)] },
});

const emitted = (event: keyof typeof serverEvents) => ({
  action: 'send',
  channel,
  summary: serverEvents[event].summary,
  messages: [inChannel(event)],
});

const request = (name: CommandName) => ({
  name,
  summary: commands[name].summary,
  payload: refer(dialect, inputName(name)),
  ...examples(exchangeOf(name)?.input),
});

const ack = (name: CommandName) => ({
  name,
  summary: `The answer (ack) to ${name}.`,
  payload: {
    oneOf: [
      answer(true, { value: refer(dialect, outputName(name)) }),
      answer(false, { error: { allOf: [refer(dialect, 'Failure'), coded(name)] } }),
    ],
  },
  ...examples(exchangeOf(name)?.reply),
});

/** Commands for people only also answer `forbidden`, to bots. */
function coded(name: CommandName): Shape {
  const { errors, who }: Contract = commands[name];
  const codes = new Set([...generalCodes, ...errors, ...(who === 'people' ? ['forbidden'] : [])]);
  return { properties: { code: { enum: [...codes] } } };
}

const answer = (ok: boolean, more: object) => ({
  type: 'object',
  properties: { ok: { const: ok }, ...more },
  required: ['ok', ...Object.keys(more)],
});

const said = (event: keyof typeof serverEvents) => ({
  name: event,
  summary: serverEvents[event].summary,
  payload: refer(dialect, eventOf(event)),
  ...examples(payloadOf(event)),
});

const examples = (payload: unknown) => payload !== undefined && { examples: [{ payload }] };
