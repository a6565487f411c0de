/** A hostile guest with an address of their own, without the restraint of the real client. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { NoResponse } from '../../client/sync/connection.ts';
import { signIn } from '../replay/sign-in.ts';
import {
  protocolVersion,
  type CommandName,
  type Input,
  type Output,
  type Result,
} from '../../shared/protocol.ts';
import type { Count } from './attacks.ts';
import { ChatError } from '../../shared/failure.ts';
import type { File } from '../../shared/files.ts';

/** In milliseconds: the wait for an answer, after a refusal, and before an unread download is aborted. */
const pauses = { answer: 10_000, refused: 250, unread: 5_000 };

export interface Visitor {
  origin: string;
  cookie: string;
  address: string;
}

const headersOf = ({ origin, cookie, address }: Visitor) => ({
  origin,
  cookie,
  'x-forwarded-for': address,
});

export class Stranger {
  readonly #number: number;
  #cookie: string | undefined;

  constructor(number: number) {
    this.#number = number;
  }

  /** Undefined when the connection is refused. */
  async connect(origin: string): Promise<Wire | undefined> {
    const address = `10.${Math.floor(this.#number / 250)}.${this.#number % 250}.9`;
    const body = { displayName: `Stranger ${this.#number}` };
    this.#cookie ??= (await signIn(origin, 'guest', body, address)).cookie;
    return open(origin, this.#cookie, address);
  }
}

export class Wire {
  readonly #socket: Socket;
  readonly #visitor: Visitor;

  constructor(socket: Socket, visitor: Visitor) {
    this.#socket = socket;
    this.#visitor = visitor;
  }

  get isOpen() {
    return this.#socket.connected;
  }

  async ask<C extends CommandName>(
    count: Count,
    command: C,
    input: Input<C>,
    timeoutMs = pauses.answer,
  ): Promise<void> {
    count.asked += 1;
    const answer = await this.#answerTo(command, input, timeoutMs);
    count[!answer ? 'unanswered' : answer.ok ? 'answered' : 'refused'] += 1;
    if (answer?.ok !== true) await sleep(pauses.refused);
  }

  /** @throws ChatError, or NoResponse */
  async send<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    const answer = await this.#answerTo(command, input, pauses.answer);
    if (!answer) throw new NoResponse('lost');
    if (answer.ok) return answer.value;
    const { code, message, ...detail } = answer.error;
    throw new ChatError(code, message, detail);
  }

  async #answerTo<C extends CommandName>(command: C, input: Input<C>, timeoutMs: number) {
    const answer = this.#socket.timeout(timeoutMs).emitWithAck(command, input);
    return (await answer.catch(() => undefined)) as Result<Output<C>> | undefined;
  }

  async download(count: Count, path: string, isRead = true): Promise<void> {
    count.asked += 1;
    const status = await read(this.#visitor, path, isRead).catch(() => undefined);
    count[status === undefined ? 'unanswered' : status < 300 ? 'answered' : 'refused'] += 1;
    if (status === undefined || status >= 300) await sleep(pauses.refused);
  }

  emit<C extends CommandName>(count: Count, command: C, input: Input<C>): void {
    count.asked += 1;
    this.#socket.emit(command, input);
  }

  stopReading(): void {
    const { transport } = this.#socket.io.engine as unknown as {
      transport: { ws: { pause(): void } };
    };
    transport.ws.pause();
  }

  close(): void {
    this.#socket.disconnect();
    this.#socket.io.engine.close();
  }
}

export function open(origin: string, cookie: string, address: string): Promise<Wire | undefined> {
  const visitor = { origin, cookie, address };
  const socket = io(origin, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: { protocol: protocolVersion },
    extraHeaders: headersOf(visitor),
  });
  return new Promise((resolve) => {
    const refuse = () => {
      socket.disconnect();
      resolve(undefined);
    };
    socket.once('ready', () => {
      resolve(new Wire(socket, visitor));
    });
    socket.once('connect_error', refuse);
    socket.once('disconnect', refuse);
  });
}

/** Returns the status. Without `isRead`, leaves the body unread for some seconds. */
export async function read(visitor: Visitor, path: string, isRead = true): Promise<number> {
  const leaving = new AbortController();
  const response = await fetch(`${visitor.origin}${path}`, {
    headers: headersOf(visitor),
    signal: leaving.signal,
  });
  if (isRead) for await (const piece of response.body ?? []) void piece;
  else await sleep(pauses.unread);
  leaving.abort();
  return response.status;
}

/** Uploads a file of random bytes and sends it to a timeline. Returns its path. */
export async function shareFile(
  visitor: Visitor,
  timelineId: string,
  size: number,
): Promise<string> {
  const ask = async (method: string, path: string, body: BodyInit, type: string) => {
    const headers = { ...headersOf(visitor), 'content-type': type };
    const response = await fetch(`${visitor.origin}${path}`, { method, headers, body });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as unknown;
  };
  const { file } = (await ask(
    'PUT',
    `/api/channels/${timelineId}/files/noise`,
    randomBytes(size),
    'application/octet-stream',
  )) as { file: File };
  const said = JSON.stringify({ timelineId, files: [{ id: file.id }] });
  await ask('POST', '/api/messages', said, 'application/json');
  return `/files/${file.id}/noise`;
}

export async function knock(
  count: Count,
  url: string,
  body: object,
  address: string,
): Promise<void> {
  count.asked += 1;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: new URL(url).origin,
      'x-forwarded-for': address,
    },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  // A wrong password counts as an answer.
  count[!response ? 'unanswered' : response.status === 401 ? 'answered' : 'refused'] += 1;
}
