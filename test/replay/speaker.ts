/** One nick of the conversation: a guest who comes in with the first line and says everything in its order. */
import pLimit from 'p-limit';
import { v7 } from 'uuid';
import { ChatError } from '../../shared/failure.ts';
import { spoken, type Line } from './lines.ts';
import type { Said } from './said.ts';
import type { Seats } from './seats.ts';
import { signIn } from './sign-in.ts';
import { Visitor } from './visitor.ts';

/** Where the speakers come in, and where a line is said. */
export interface Stage {
  /** Its node. */
  url: string;
  invite: string;
  timelineOf: (line: Line) => string;
}

/** Who somebody is on the server: enough to come back as the same person. */
export interface Identity {
  id: string;
  cookie: string;
}

export class Speaker {
  readonly #name: string;
  readonly #stage: Stage;
  readonly #seats: Seats;
  readonly #inTurn = pLimit(1);
  #visitor: Visitor | undefined;
  identity: Identity | undefined;

  constructor(name: string, stage: Stage, seats: Seats, identity?: Identity) {
    this.#name = name;
    this.#stage = stage;
    this.#seats = seats;
    this.identity = identity;
  }

  /** Does what the line says, after all earlier lines; answers with the message, if it was one. */
  perform(line: Line): Promise<Said | undefined> {
    return this.#inTurn(async () => {
      if (line.type !== 'leave') return this.#seats.during(this, () => this.#sayAsSomebody(line));
      this.#seats.leave(this);
      return undefined;
    });
  }

  /** Lets it be seen that this line is being written. */
  type(line: Line): Promise<void> {
    const seated = () =>
      this.#seats.during(this, async () => {
        const { visitor } = await this.#arrive();
        await visitor.ask('typing:set', { timelineId: this.#stage.timelineOf(line) });
      });
    return this.#inTurn(seated);
  }

  close() {
    this.#visitor?.close();
  }

  /** A guest whose session has ended comes as somebody new. */
  #sayAsSomebody(line: Line): Promise<Said | undefined> {
    return this.#say(line).catch((error: unknown) => {
      if (!(error instanceof ChatError && error.code === 'unauthenticated')) throw error;
      this.identity = undefined;
      this.#visitor = undefined;
      return this.#say(line);
    });
  }

  async #say(line: Line): Promise<Said | undefined> {
    const { visitor, authorId } = await this.#arrive();
    const body = spoken(line);
    // A guest who only comes in is seen to: that takes a socket.
    if (body === undefined) {
      await visitor.open();
      return undefined;
    }
    const id = v7();
    const { message } = await visitor.ask('message:send', {
      timelineId: this.#stage.timelineOf(line),
      id,
      body,
    });
    // What was meant, beside the place that the server gave it.
    return { id, authorId, body, position: message.position };
  }

  async #arrive() {
    const { url, invite } = this.#stage;
    if (this.identity === undefined) {
      const { user, cookie } = await signIn(url, 'guest', { displayName: this.#name, invite });
      this.identity = { id: user.id, cookie };
    }
    this.#visitor ??= new Visitor(url, this.identity.cookie);
    return { visitor: this.#visitor, authorId: this.identity.id };
  }
}
