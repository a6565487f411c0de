/** Somebody hostile: a guest with an address of their own, who keeps to none of the client's manners. */
import { setTimeout as sleep } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { signIn } from '../replay/sign-in.ts';
import {
  protocolVersion,
  type CommandName,
  type Input,
  type Result,
} from '../../shared/protocol.ts';
import type { Count } from './attacks.ts';

/** Milliseconds: how long an answer is waited for, and before asking again after a no. */
const pauses = { answer: 10_000, refused: 250 };

export class Stranger {
  readonly #number: number;
  #cookie: string | undefined;

  constructor(number: number) {
    this.#number = number;
  }

  /** Nothing, if the door stays closed. */
  async connect(origin: string): Promise<Wire | undefined> {
    const address = `10.${Math.floor(this.#number / 250)}.${this.#number % 250}.9`;
    const body = { displayName: `Stranger ${this.#number}` };
    this.#cookie ??= (await signIn(origin, 'guest', body, address)).cookie;
    return open(origin, this.#cookie, address);
  }
}

/** A connection on which anything is said. */
export class Wire {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get isOpen() {
    return this.#socket.connected;
  }

  /** Asks once, and counts what came of it. */
  async ask<C extends CommandName>(
    count: Count,
    command: C,
    input: Input<C>,
    patienceMs = pauses.answer,
  ): Promise<void> {
    count.asked += 1;
    const answer = (await this.#socket
      .timeout(patienceMs)
      .emitWithAck(command, input)
      .catch(() => undefined)) as Result<unknown> | undefined;
    count[!answer ? 'unanswered' : answer.ok ? 'answered' : 'refused'] += 1;
    if (answer?.ok !== true) await sleep(pauses.refused);
  }

  /** Asks, and waits for nothing. */
  emit<C extends CommandName>(count: Count, command: C, input: Input<C>): void {
    count.asked += 1;
    this.#socket.emit(command, input);
  }

  /** What comes from now on stays in the network. */
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

/** Connects by somebody's session. */
export function open(origin: string, cookie: string, address: string): Promise<Wire | undefined> {
  const socket = io(origin, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: { protocol: protocolVersion },
    extraHeaders: { origin, cookie, 'x-forwarded-for': address },
  });
  return new Promise((resolve) => {
    const refuse = () => {
      socket.disconnect();
      resolve(undefined);
    };
    socket.once('ready', () => {
      resolve(new Wire(socket));
    });
    socket.once('connect_error', refuse);
    socket.once('disconnect', refuse);
  });
}

/** Asks over HTTP, and counts what came of it. */
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
  // To be told that the password is wrong is an answer.
  count[!response ? 'unanswered' : response.status === 401 ? 'answered' : 'refused'] += 1;
}
