/** Those with whom I write outside of servers. */
import type { Conversation } from '../../shared/conversations.ts';
import type { Input, Output } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { newId } from '../sync/ids.ts';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

class Conversations {
  readonly rows = new RowsByRoom<Conversation>(({ id }) => id);

  get all(): Conversation[] {
    return [...(this.rows.in(userRoom(account.id))?.values() ?? [])];
  }

  /** Those that are not hidden and no requests, the one in which something was said last comes first. */
  get shown(): Conversation[] {
    return this.all.filter((one) => isShown(one) && !one.request).sort(latestFirst);
  }

  /** What strangers have begun, and I have not answered. */
  get requests(): Conversation[] {
    return this.all.filter((one) => isShown(one) && one.request && !isOver(one)).sort(latestFirst);
  }

  isRequest(id: string): boolean {
    return this.get(id)?.request === true;
  }

  /** Messages that I have not read; of requests none count. */
  get unread(): number {
    return this.all.reduce((sum, { id, request }) => sum + (request ? 0 : reads.unread(id)), 0);
  }

  get(id: string): Conversation | undefined {
    return this.rows.in(userRoom(account.id))?.get(id);
  }

  /** With one other person it is the one that there is, if there is one. */
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

  /** Hides a pair until something is said in it; leaves a group, ignores a request. */
  async delete(id: string) {
    await send('conversation:delete', { conversationId: id });
  }

  /** An ack's row comes into the list as its change does, whichever is first. */
  #take({ conversation, people: heard }: Output<'conversation:create'>): Conversation {
    people.hear(heard);
    this.rows.apply(userRoom(account.id), [{ row: conversation }]);
    return conversation;
  }
}

const isShown = ({ id, hiddenUntil }: Conversation) =>
  hiddenUntil === null || (reads.of(id)?.last ?? 0) > hiddenUntil;

/** A request of somebody whom I block. */
const isOver = ({ kind, participantIds }: Conversation) =>
  kind === 'pair' && participantIds.some((id) => blocks.has(id));

const latestFirst = (a: Conversation, b: Conversation) =>
  lastAt(b).localeCompare(lastAt(a)) || b.id.localeCompare(a.id);

const lastAt = ({ id, createdAt }: Conversation) => reads.of(id)?.at ?? createdAt;

export const conversations = new Conversations();
