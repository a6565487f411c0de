/** Loads the audit log of a server or of the instance, in pages. It is not part of any room’s state. */
import type { AuditEntry, AuditPersonField } from '../../shared/audit.ts';
import { limits } from '../../shared/limits.ts';
import type { Output } from '../../shared/protocol.ts';
import { channels } from '../channels/channels.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { Attempts } from '../session/loaded-list.svelte.ts';
import { pause, retryAfterOf } from '../session/retry.ts';
import { send } from '../session/socket.ts';
import { endOfDay, startOfDay } from '../ui/days.ts';
import { errorText } from '../ui/error-text.ts';
import type { Kind } from './kinds.ts';
import type { Names } from './sentences.ts';
import { actionsOf } from './wordings.ts';

type Page = Output<'audit:list'>;

/** Requests of one load, which stops at the first that finds an entry. */
const maxRequests = 5;

/** Pause between two requests of an export, in milliseconds. Leaves more than half of the rate limit to the user. */
const exportPauseMs = 200;
/** The same pause with a filter, because a filtered request costs four times as much. */
const filteredPauseMs = 800;

export const maxExported = 100_000;

export class AuditLog extends Attempts {
  /** Undefined until loaded. */
  entries = $state.raw<readonly AuditEntry[]>();
  hasMore = $state(false);
  isLoading = $state(false);
  keptDays = $state<number>();
  /** Everyone in the entries that were shown so far, under any filter. */
  seen = $state.raw<readonly string[]>([]);
  /** Empty for all. */
  kind = $state<Kind | ''>('');
  /** Empty for everyone. */
  personId = $state('');
  /** Whether that person is the actor or the target. Empty for both. */
  as = $state<AuditPersonField | ''>('');
  /** Days, as 2026-01-31, the last one included. Empty for all. */
  since = $state('');
  until = $state('');

  readonly #serverId: string | undefined;
  #serverNames = $state.raw<Record<string, string>>({});
  #before: number | null = null;
  /** Counts loads, so that a late answer to an earlier load is ignored. */
  #turn = 0;

  constructor(serverId: string | undefined) {
    super();
    this.#serverId = serverId;
  }

  readonly names: Names = {
    person: (id) => members.nameOf(this.#serverId, id),
    channel: (serverId, id) => (serverId === null ? undefined : channels.get(serverId, id)?.name),
  };

  serverName = ({ serverId }: AuditEntry): string | undefined =>
    serverId === null ? undefined : this.#serverNames[serverId];

  get isFiltered(): boolean {
    return [this.kind, this.personId, this.since, this.until].some((filter) => filter !== '');
  }

  /** Begins with the newest entries. */
  load(): Promise<void> {
    this.#turn += 1;
    this.entries = undefined;
    this.hasMore = false;
    this.#before = null;
    return this.loadMore();
  }

  async loadMore(): Promise<void> {
    const turn = this.#turn;
    const isOurs = () => turn === this.#turn;
    this.failure = undefined;
    this.isLoading = true;
    try {
      for (let requests = 0, found = 0; found === 0 && requests < maxRequests; requests += 1) {
        const page = await this.#request(this.#before);
        if (!isOurs()) return;
        const isNew = (id: string) => !this.seen.includes(id);
        this.seen = [...this.seen, ...Object.keys(page.people).filter(isNew)];
        found = page.entries.length;
        this.entries = [...(this.entries ?? []), ...page.entries];
        this.#before = page.more;
        this.hasMore = page.more !== null;
        if (!this.hasMore) break;
      }
    } catch (error) {
      if (isOurs()) this.failure = errorText(error);
    } finally {
      if (isOurs()) this.isLoading = false;
    }
  }

  /** All entries that match, in pages. Waits between requests, and while the server refuses more of them. */
  async *all(stopped: AbortSignal): AsyncGenerator<readonly AuditEntry[]> {
    for (let before: number | null = null, count = 0; count < maxExported;) {
      const page = await this.#requestPatiently(before, stopped);
      yield page.entries;
      count += page.entries.length;
      if (page.more === null) return;
      before = page.more;
      await pause(this.isFiltered ? filteredPauseMs : exportPauseMs, stopped);
    }
  }

  async #requestPatiently(before: number | null, stopped: AbortSignal): Promise<Page> {
    for (;;)
      try {
        const page = await this.#request(before, limits.page);
        stopped.throwIfAborted();
        return page;
      } catch (error) {
        stopped.throwIfAborted();
        const wait = retryAfterOf(error);
        if (wait === undefined) throw error;
        await pause(wait, stopped);
      }
  }

  async #request(before: number | null, limit?: number): Promise<Page> {
    const { kind, personId, as } = this;
    const since = startOfDay(this.since)?.toISOString();
    const until = endOfDay(this.until)?.toISOString();
    const page = await send('audit:list', {
      serverId: this.#serverId,
      ...(before !== null && { before }),
      ...(limit !== undefined && { limit }),
      ...(kind !== '' && { actions: actionsOf(kind) }),
      ...(personId !== '' && { personId, ...(as !== '' && { as }) }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    });
    people.receive(page.people);
    this.#serverNames = { ...this.#serverNames, ...page.serverNames };
    this.keptDays = page.keptDays;
    return page;
  }
}
