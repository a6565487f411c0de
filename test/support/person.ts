import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { io, type Socket } from 'socket.io-client';
import type { z } from 'zod';
import type { Account } from '../../shared/accounts.ts';
import { changeSchema, type Change } from '../../shared/changes.ts';
import type { Contract } from '../../shared/contract.ts';
import { Refused, serverEvents } from '../../shared/events.ts';
import { generalCodes, type Failure } from '../../shared/failure.ts';
import {
  commands,
  type ClientToServerEvents,
  type CommandName,
  type HandshakeAuth,
  type Input,
  type Output,
  type Ready,
  type Result,
  type ServerToClientEvents,
} from '../../shared/protocol.ts';
import { openAcquaintances } from './acquaintances.ts';
import { timeoutMs } from './time.ts';

type Events = {
  [E in keyof ServerToClientEvents]: Parameters<ServerToClientEvents[E]>[0];
};
export type ClientSocket = Socket<ServerToClientEvents, ClientToServerEvents>;

export interface Person {
  url: string;
  id: string;
  user: Account;
  cookie: string;
  ready: Ready;
  socket: ClientSocket;
  /** Returns the command's value or throws its failure. Retries on `busy`, as a client does. */
  send<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>>;
  /** Tries once. Returns any result. */
  ask<C extends CommandName>(command: C, input: Input<C>): Promise<Result<Output<C>>>;
  /** Returns the command's failure. Success is an error of the test. */
  expectError<C extends CommandName>(command: C, input: Input<C>): Promise<Failure>;
  received<E extends keyof Events>(event: E): Events[E][];
  /** The first event of this kind that fits, received already or yet to come. */
  waitFor<E extends keyof Events>(
    event: E,
    fits?: (payload: Events[E]) => boolean,
  ): Promise<Events[E]>;
  /** Another tab: the same cookie, another socket. */
  newTab(): Promise<Person>;
  close(): void;
}

/** POSTs to one of the endpoints for signing in as a browser of this site would. */
export async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...headers },
    body: JSON.stringify(body),
  });
}

/** The session’s cookie that a reply sets, as a browser would send it back. */
export const cookieOf = (response: Response): string => cookieLike(response, /^[^=]*(?<!_device)=/);

/** The cookie that identifies a device after a sign-in. */
export const deviceCookieOf = (response: Response): string =>
  cookieLike(response, /^[^=]*_device=/);

const cookieLike = (response: Response, name: RegExp) =>
  response.headers
    .getSetCookie()
    .find((cookie) => name.test(cookie))
    ?.split(';')[0] ?? '';

export async function enterAs(
  url: string,
  door: 'register' | 'login' | 'guest',
  body: object,
  cookie?: string,
): Promise<Person> {
  const response = await post(
    url,
    `/api/auth/${door}`,
    body,
    cookie === undefined ? {} : { cookie },
  );
  const text = await response.text();
  expect(response.status, text).to.be.oneOf([200, 201]);
  return connectAs(url, cookieOf(response));
}

/** A socket as a browser opens it. The server can refuse it. */
export const openSocket = (
  url: string,
  cookie: string | undefined,
  auth: Partial<HandshakeAuth> = { protocol: 1 },
): ClientSocket =>
  io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth,
    extraHeaders: { origin: url, ...(cookie === undefined ? {} : { cookie }) },
  });

export const connectAs = (url: string, cookie: string): Promise<Person> =>
  openPerson(openSocket(url, cookie), url, cookie);

export const openBotSocket = (url: string, token: string): ClientSocket =>
  io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: { protocol: 1, token },
  });

export const connectBot = (url: string, token: string): Promise<Person> =>
  openPerson(openBotSocket(url, token), url, '');

/** Returns the person of this socket, once the server has accepted it. */
export async function openPerson(
  socket: ClientSocket,
  url: string,
  cookie: string,
): Promise<Person> {
  const received = new Map<string, unknown[]>();
  const acquaintances = openAcquaintances();
  const waiting = new Set<() => void>();
  socket.onAny((event: keyof Events, payload: unknown) => {
    serverEvents[event].payload.parse(payload);
    if (received.size === 0) expect(event, 'the first').to.be.oneOf(['ready', 'closing']);
    if (event === 'changes') checkChanges(payload as Events['changes']);
    acquaintances.meet(event, serverEvents[event].payload, payload);
    const earlier = received.get(event);
    if (earlier === undefined) received.set(event, [payload]);
    else earlier.push(payload);
    for (const look of [...waiting]) look();
  });

  const eventsOf = <E extends keyof Events>(event: E) => (received.get(event) ?? []) as Events[E][];

  const ask = async <C extends CommandName>(
    command: C,
    input: Input<C>,
  ): Promise<Result<unknown>> => {
    const patient = (socket as Socket).timeout(timeoutMs);
    const result = (await patient.emitWithAck(command, input)) as Result<unknown>;
    if (result.ok) acquaintances.meet(command, commands[command].output, result.value);
    else checkRefusal(command, result.error, person.user);
    return result;
  };

  const waitFor: Person['waitFor'] = (event, fits = () => true) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = eventsOf(event).find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        clearTimeout(timer);
        resolve(found);
      };
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(
          new Error(
            `timed out waiting for ${event}; received ${JSON.stringify(person.received(event)).slice(0, 2_000)}`,
          ),
        );
      }, timeoutMs);
      waiting.add(look);
      look();
    });

  const person = {
    url,
    cookie,
    socket,
    ask,
    waitFor,
    received: (event: keyof Events) => [...eventsOf(event)],
    async send(command: CommandName, input: never) {
      let result = await ask(command, input);
      for (let tries = 1; !result.ok && isBusy(result.error) && tries < maxTries; tries += 1) {
        await sleep(result.error.retryAfterMs ?? 1_000);
        result = await ask(command, input);
      }
      if (!result.ok)
        throw Object.assign(new Error(`${command}: ${result.error.message}`), result.error);
      return commands[command].output.parse(result.value);
    },
    async expectError(command: CommandName, input: never) {
      const result = await ask(command, input);
      if (result.ok) throw new Error(`${command} was allowed: ${JSON.stringify(result.value)}`);
      return result.error;
    },
    newTab: () => connectAs(url, cookie),
    close: () => void socket.disconnect(),
  } as unknown as Person;

  await new Promise<void>((resolve, reject) => {
    socket.once('ready', (ready) => {
      Object.assign(person, { ready, user: ready.you, id: ready.you.id });
      resolve();
    });
    socket.once('connect_error', reject);
    socket.once('disconnect', (reason) => reject(new Error(`disconnected: ${reason}`)));
  });
  return person;
}

/** True on `busy`: transient on a slow machine, lasting while the database is down. */
const isBusy = ({ code }: Failure) => code === 'busy';
const maxTries = 20;

/** Expects an error that the contract names, with a `requestId`. */
function checkRefusal(command: CommandName, failure: Failure, { kind }: Account): void {
  const { code, message } = Refused.parse(failure);
  const { errors, who }: Contract = commands[command];
  const ofBots = who === 'people' && kind === 'bot' ? ['forbidden'] : [];
  expect([...generalCodes, ...errors, ...ofBots], `${command}: ${message}`).to.include(code);
}

/** Expects changes that fit the contract. Changes that fill a hole are only the latest of each row. */
function checkChanges({ from, to, changes }: Events['changes']): void {
  const versions = changes.map(({ version }) => version);
  expect(versions).to.deep.equal([...new Set(versions)].sort((a, b) => a - b));
  expect(versions[0], 'the first is after what was known').to.be.above(from);
  expect(versions.at(-1), 'the last is where it leads').to.equal(to);
  for (const change of changes) schemaOf(change.type).parse(change);
}

/** Zod compiles each new schema for its first value, which takes far longer than the check. */
const schemas = new Map<Change['type'], z.ZodType>();

function schemaOf(type: Change['type']): z.ZodType {
  const schema = schemas.get(type) ?? changeSchema(type);
  schemas.set(type, schema);
  return schema;
}
