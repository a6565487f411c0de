/** One nick of the conversation: a guest that signs in at its first line and performs its lines in order. */
import pLimit from 'p-limit';
import { v7 } from 'uuid';
import { ChatError } from '../../shared/failure.ts';
import type { CommandName, Input } from '../../shared/protocol.ts';
import { spoken, type ScriptLine } from './lines.ts';
import type { ComparedMessage } from './said.ts';
import type { SocketPool } from './socket-pool.ts';
import { signIn } from './sign-in.ts';
import { ReplayConnection } from './connection.ts';

export interface ReplayStage {
  url: string;
  invite: string;
  timelineOf: (line: ScriptLine) => string;
}

/** Enough to connect again as the same account. */
export interface SenderIdentity {
  id: string;
  cookie: string;
}

export class Sender {
  readonly #name: string;
  readonly #stage: ReplayStage;
  readonly #pool: SocketPool;
  readonly #inTurn = pLimit(1);
  #connection: ReplayConnection | undefined;
  identity: SenderIdentity | undefined;

  constructor(name: string, stage: ReplayStage, pool: SocketPool, identity?: SenderIdentity) {
    this.#name = name;
    this.#stage = stage;
    this.#pool = pool;
    this.identity = identity;
  }

  /** Performs the line after all earlier ones. Returns the message, if the line has one. */
  perform(line: ScriptLine): Promise<ComparedMessage | undefined> {
    return this.#inTurn(async () => {
      if (line.type !== 'leave') return this.#pool.during(this, () => this.#sayAsSomebody(line));
      this.#pool.leave(this);
      return undefined;
    });
  }

  ask<C extends CommandName>(
    line: ScriptLine,
    command: C,
    inputAt: (timelineId: string) => Input<C>,
  ): Promise<void> {
    const perform = () =>
      this.#pool.during(this, async () => {
        const { connection } = await this.#arrive();
        await connection.ask(command, inputAt(this.#stage.timelineOf(line)));
      });
    return this.#inTurn(perform);
  }

  close() {
    this.#connection?.close();
  }

  /** Signs in as a new guest if the session has ended. */
  #sayAsSomebody(line: ScriptLine): Promise<ComparedMessage | undefined> {
    return this.#say(line).catch((error: unknown) => {
      if (!(error instanceof ChatError && error.code === 'unauthenticated')) throw error;
      this.identity = undefined;
      this.#connection = undefined;
      return this.#say(line);
    });
  }

  async #say(line: ScriptLine): Promise<ComparedMessage | undefined> {
    const { connection, authorId } = await this.#arrive();
    const body = spoken(line);
    if (body === undefined) {
      await connection.open();
      return undefined;
    }
    const id = v7();
    const { message } = await connection.ask('message:send', {
      timelineId: this.#stage.timelineOf(line),
      id,
      body,
    });
    // The id and body as sent, with the position that the server assigned.
    return { id, authorId, body, position: message.position };
  }

  async #arrive() {
    const { url, invite } = this.#stage;
    if (this.identity === undefined) {
      const { user, cookie } = await signIn(url, 'guest', { displayName: this.#name, invite });
      this.identity = { id: user.id, cookie };
    }
    this.#connection ??= new ReplayConnection(url, this.identity.cookie);
    return { connection: this.#connection, authorId: this.identity.id };
  }
}
