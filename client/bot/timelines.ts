/**
 * Finds the new messages of a bot's timelines, by the position of each message, never by how it arrived. Each message
 * is handled once, in order and without a gap. It counts as handled only when its listener has returned.
 */
import type { Change } from '../../shared/changes.ts';
import type { Message } from '../../shared/messages.ts';
import type { Output } from '../../shared/protocol.ts';
import { KeyedQueue } from './keyed-queue.ts';
import type { PositionKeeper } from './positions.ts';

const pageSize = 100;

/** `stopping`: nothing new is started. `over`: work in progress was not finished. */
export type RunState = 'on' | 'stopping' | 'over';

export interface TimelinesListener {
  list(page: { timelineId: string; after: number; limit: number }): Promise<Output<'message:list'>>;
  /** The position up to which the timeline is read; undefined without unread messages since the bot joined. */
  readUpTo(timelineId: string): Promise<number | undefined>;
  message(message: Message): Promise<void>;
  change(timelineId: string, change: Change): Promise<void>;
  runState(): RunState;
  failed(error: unknown): void;
}

export class Timelines {
  readonly #keeper: PositionKeeper;
  readonly #listener: TimelinesListener;
  readonly #lines = new KeyedQueue();
  readonly #gate: Promise<void>;
  #ended = false;

  /** Handles nothing before `gate` resolves. */
  constructor(keeper: PositionKeeper, gate: Promise<void>, listener: TimelinesListener) {
    this.#keeper = keeper;
    this.#gate = gate;
    this.#listener = listener;
  }

  /** At its first start, a bot only handles messages that are sent from then on. */
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
        if (!this.#isOld(id, change)) await this.#listener.change(id, change);
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

  #runState(): RunState {
    return this.#ended ? 'over' : this.#listener.runState();
  }

  idle = () => this.#lines.idle();

  #inLine(id: string, work: () => Promise<void>) {
    const failed = (error: unknown) => this.#listener.failed(error);
    void this.#lines.add(id, async () => {
      await this.#gate;
      if (this.#runState() === 'on') await work().catch(failed);
    });
  }

  /** True when the change was handled before a restart, but its version was not saved. */
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

  async #fill(timelineId: string, until: number): Promise<void> {
    while (this.#positionOf(timelineId) + 1 < until && this.#runState() === 'on') {
      const after = this.#positionOf(timelineId);
      const { messages } = await this.#listener.list({ timelineId, after, limit: pageSize });
      if (messages.length === 0) return;
      for (const message of messages) if (message.position < until) await this.#handle(message);
    }
  }

  async #handle(message: Message): Promise<void> {
    const { timelineId, position } = message;
    if (this.#runState() !== 'on' || position <= this.#positionOf(timelineId)) return;
    if (message.deletedAt === undefined) await this.#listener.message(message);
    if (this.#runState() !== 'over') this.#note(timelineId, { position });
  }

  #noteVersion(id: string, version: number) {
    if (this.#runState() === 'on') this.#note(id, { version });
  }

  #note(id: string, news: { position: number } | { version: number }) {
    this.#keeper.note(id, { position: 0, version: 0, ...this.#keeper.of(id), ...news });
  }

  /** For a timeline that is new to the bot: messages sent since it gained access are new as well. */
  async #beginSinceJoining(timelineId: string, newest: readonly Message[]): Promise<void> {
    const read = await this.#listener.readUpTo(timelineId);
    this.#note(timelineId, { position: read ?? newest.at(-1)?.position ?? 0 });
  }
}
