/**
 * What of the timelines is new to the bot. A message’s position decides, never how it was heard: each is
 * handed on once, in order and without a gap, and counts as handled only when that has returned.
 */
import type { Change } from '../../shared/changes.ts';
import type { Message } from '../../shared/messages.ts';
import type { Output } from '../../shared/protocol.ts';
import { Lines } from './lines.ts';
import type { Keeper } from './positions.ts';

const pageSize = 100;

/** `stopping`: nothing more is begun. `over`: what is under way did not come to its end. */
export type Course = 'on' | 'stopping' | 'over';

export interface TimelinesHearer {
  list(page: { timelineId: string; after: number; limit: number }): Promise<Output<'message:list'>>;
  /** Up to where the server takes it for read, if something after that is not: what was said before one came. */
  readUpTo(timelineId: string): Promise<number | undefined>;
  message(message: Message): Promise<void>;
  change(timelineId: string, change: Change): Promise<void>;
  course(): Course;
  failed(error: unknown): void;
}

export class Timelines {
  readonly #keeper: Keeper;
  readonly #hearer: TimelinesHearer;
  readonly #lines = new Lines();
  readonly #gate: Promise<void>;
  /** They were those of another life of the database. */
  #ended = false;

  /** Nothing is handled before `gate`. */
  constructor(keeper: Keeper, gate: Promise<void>, hearer: TimelinesHearer) {
    this.#keeper = keeper;
    this.#gate = gate;
    this.#hearer = hearer;
  }

  /** A bot that begins answers what is said from now on. */
  begin(id: string, messages: readonly Message[], version: number) {
    this.#keeper.note(id, { position: messages.at(-1)?.position ?? 0, version });
  }

  snapshot(id: string, messages: readonly Message[], version: number) {
    this.#inLine(id, async () => {
      if (!this.#keeper.of(id)) await this.#beginSinceJoining(id, messages);
      await this.#take(id, messages);
      this.#noteVersion(id, version);
    });
  }

  changed(id: string, changes: readonly Change[], version: number) {
    this.#inLine(id, async () => {
      for (const change of changes)
        if (!this.#isOld(id, change)) await this.#hearer.change(id, change);
      await this.#take(
        id,
        changes.flatMap((change) => ('message' in change ? [change.message] : [])),
      );
      this.#noteVersion(id, version);
    });
  }

  left(id: string) {
    this.#inLine(id, async () => this.#keeper.forget(id));
  }

  end() {
    this.#ended = true;
  }

  #course(): Course {
    return this.#ended ? 'over' : this.#hearer.course();
  }

  idle = () => this.#lines.idle();

  #inLine(id: string, work: () => Promise<void>) {
    const failed = (error: unknown) => this.#hearer.failed(error);
    void this.#lines.add(id, async () => {
      await this.#gate;
      if (this.#course() === 'on') await work().catch(failed);
    });
  }

  /** Told before a restart already, which came before the version was noted. */
  #isOld = (id: string, change: Change) =>
    change.type === 'message:created' && change.message.position <= this.#positionOf(id);

  #positionOf = (id: string) => this.#keeper.of(id)?.position ?? 0;

  async #take(id: string, messages: readonly Message[]): Promise<void> {
    const inOrder = messages.toSorted((a, b) => a.position - b.position);
    for (const message of inOrder) {
      if (message.position > this.#positionOf(id) + 1) await this.#fill(id, message.position);
      await this.#handle(message);
    }
  }

  /** Reads what lies between the last one handled and this position. */
  async #fill(timelineId: string, until: number): Promise<void> {
    while (this.#positionOf(timelineId) + 1 < until && this.#course() === 'on') {
      const after = this.#positionOf(timelineId);
      const { messages } = await this.#hearer.list({ timelineId, after, limit: pageSize });
      if (messages.length === 0) return;
      for (const message of messages) if (message.position < until) await this.#handle(message);
    }
  }

  async #handle(message: Message): Promise<void> {
    const { timelineId, position } = message;
    if (this.#course() !== 'on' || position <= this.#positionOf(timelineId)) return;
    if (message.deletedAt === undefined) await this.#hearer.message(message);
    if (this.#course() !== 'over') this.#note(timelineId, { position });
  }

  #noteVersion(id: string, version: number) {
    if (this.#course() === 'on') this.#note(id, { version });
  }

  #note(id: string, news: { position: number } | { version: number }) {
    this.#keeper.note(id, { position: 0, version: 0, ...this.#keeper.of(id), ...news });
  }

  /** A timeline that is new to the bot: what was said since it may see it is new as well. */
  async #beginSinceJoining(timelineId: string, newest: readonly Message[]): Promise<void> {
    const read = await this.#hearer.readUpTo(timelineId);
    this.#note(timelineId, { position: read ?? newest.at(-1)?.position ?? 0 });
  }
}
