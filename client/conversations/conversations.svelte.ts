import type { Conversation } from '../../shared/conversations.ts';
import type { Input, Output } from '../../shared/protocol.ts';
import { limits } from '../../shared/limits.ts';
import { userRoom } from '../../shared/rooms.ts';
import { newId } from '../sync/ids.ts';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { countedIn } from '../notifications/muting.ts';
import { people } from '../people/people.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

class Conversations {
  readonly rows = new RowsByRoom<Conversation>(({ id }) => id);

  get all(): Conversation[] {
    return [...(this.rows.in(userRoom(account.id))?.values() ?? [])];
  }

  get shown(): Conversation[] {
    return this.all.filter((one) => isShown(one) && !one.request).sort(latestFirst);
  }

  get requests(): Conversation[] {
    return this.all
      .filter((one) => isShown(one) && one.request && !isOver(one) && !isGone(one))
      .sort(latestFirst);
  }

  isRequest(id: string): boolean {
    return this.get(id)?.request === true;
  }

  /** Unread messages; requests do not count, and muted conversations count mentions only. */
  get unread(): number {
    return this.all.reduce((sum, { id, request }) => sum + (request ? 0 : countedIn(id)), 0);
  }

  get(id: string): Conversation | undefined {
    return this.rows.in(userRoom(account.id))?.get(id);
  }

  /** With one other person, returns the existing conversation if there is one. */
  async create(userIds: string[], name?: string): Promise<Conversation> {
    const wanted = { userIds, id: newId(), ...(name && { name }) };
    return this.#take(await send('conversation:create', wanted));
  }

  async update(id: string, what: Omit<Input<'conversation:update'>, 'conversationId'>) {
    this.#take(await send('conversation:update', { conversationId: id, ...what }));
  }

  async accept(id: string) {
    this.#take(await send('conversation:accept', { conversationId: id }));
  }

  /** Hides a pair until the next message; leaves a group; ignores a request. */
  async delete(id: string) {
    await send('conversation:delete', { conversationId: id });
  }

  #take({ conversation, people: received }: Output<'conversation:create'>): Conversation {
    people.receive(received);
    this.rows.apply(userRoom(account.id), [{ row: conversation }]);
    return conversation;
  }
}

const isShown = ({ id, hiddenUntil }: Conversation) =>
  hiddenUntil === null || (reads.of(id)?.last ?? 0) > hiddenUntil || reads.unread(id) > 0;

const isOver = ({ kind, participantIds }: Conversation) =>
  kind === 'pair' && participantIds.some((id) => blocks.has(id));

/** True when all of the few messages are deleted. The server does not count such a request either. */
function isGone({ id, kind }: Conversation): boolean {
  const { last = 0, deleted = [] } = reads.of(id) ?? {};
  const isShort = last > 0 && last <= limits.requestMessages;
  return kind === 'pair' && isShort && new Set(deleted).size === last;
}

const latestFirst = (a: Conversation, b: Conversation) =>
  lastAt(b).localeCompare(lastAt(a)) || b.id.localeCompare(a.id);

const lastAt = ({ id, createdAt }: Conversation) => reads.of(id)?.at ?? createdAt;

export const conversations = new Conversations();
