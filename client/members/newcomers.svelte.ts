/** Members who joined recently, for a moderator who bans many of them after a raid. */
import { conflict } from '../../shared/failure.ts';
import type { Member } from '../../shared/members.ts';
import type { Input } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { people } from '../people/people.svelte.ts';
import { pause, retryAfterOf } from '../session/retry.ts';
import { send } from '../session/socket.ts';
import { errorText } from '../ui/error-text.ts';
import { noteGone } from './managing.ts';

type Terms = Omit<Input<'ban:createMany'>, 'serverId' | 'userIds'>;

export class Newcomers {
  /** The latest first. Undefined until loaded. */
  list = $state.raw<readonly Member[]>();
  /** Newcomers in the period. `list` has only the newest ones. */
  count = $state(0);
  /** How many were banned so far. */
  banned = $state(0);
  isBanning = $state(false);
  failure = $state<string>();
  /** Listed people that the moderator deselected. */
  deselected = $state.raw<readonly string[]>([]);

  readonly #serverId: string;
  #seconds = 0;

  constructor(serverId: string) {
    this.#serverId = serverId;
  }

  get selected(): string[] {
    return (this.list ?? [])
      .map(({ userId }) => userId)
      .filter((id) => !this.deselected.includes(id));
  }

  toggle(userId: string) {
    this.deselected = this.deselected.includes(userId)
      ? this.deselected.filter((id) => id !== userId)
      : [...this.deselected, userId];
  }

  /** Ignores an answer for another period than the latest. */
  async load(seconds: number): Promise<void> {
    const isLatest = () => seconds === this.#seconds;
    this.#seconds = seconds;
    this.list = undefined;
    this.banned = 0;
    this.failure = undefined;
    try {
      const found = await send('member:newcomers', { serverId: this.#serverId, seconds });
      if (!isLatest()) return;
      people.receive(found.people);
      this.list = found.members;
      this.count = found.count;
    } catch (error) {
      if (isLatest()) this.failure = errorText(error);
    }
  }

  /**
   * Bans the selected people in batches, and retries after a brief refusal. After an error, earlier batches stay banned.
   * @throws ChatError; the reason of `stopped`
   */
  async ban(terms: Terms, stopped: AbortSignal): Promise<void> {
    this.isBanning = true;
    try {
      const tried: string[] = [];
      for (;;) {
        const left = this.selected.filter((id) => !tried.includes(id));
        const userIds = left.slice(0, quotas.bansAtOnce);
        if (userIds.length === 0) break;
        const banned = await this.#banBatch({ userIds, ...terms }, stopped);
        tried.push(...userIds);
        for (const userId of banned) noteGone({ serverId: this.#serverId, userId });
        this.list = this.list?.filter(({ userId }) => !banned.includes(userId));
        this.banned += banned.length;
        this.count -= banned.length;
      }
    } finally {
      this.isBanning = false;
    }
    const { length } = this.selected;
    if (length > 0)
      throw conflict(
        `${length === 1 ? 'One person wasn’t' : `${length} people weren’t`} banned. They may have left, or one of their bots has a role that isn’t lower than yours.`,
      );
  }

  async #banBatch(batch: Omit<Input<'ban:createMany'>, 'serverId'>, stopped: AbortSignal) {
    for (;;)
      try {
        stopped.throwIfAborted();
        return (await send('ban:createMany', { serverId: this.#serverId, ...batch })).userIds;
      } catch (error) {
        stopped.throwIfAborted();
        const wait = retryAfterOf(error);
        if (wait === undefined) throw error;
        await pause(wait, stopped);
      }
  }
}
