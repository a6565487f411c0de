/** Where channels stand: in which category, and in which order there. */
import type { Channel } from '../../shared/channels.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { mustBeIn } from '../categories/access.ts';
import type { Work } from '../commit.ts';
import { lastPlace, moveTo } from '../ordering.ts';
import { tellInsiders } from './privates.ts';
import * as store from './store.ts';

export type Place = Pick<Channel, 'categoryId' | 'position'>;

/**
 * The place of a channel that is to go before the one at `position`; without that it stays, or goes to the end of
 * another category.
 * @throws ChatError not_found if the category is none of its server's
 */
export async function placeOf(
  work: Work,
  { id, serverId, ...now }: Channel,
  wanted: Pick<Parsed<'channel:update'>, 'categoryId' | 'position'>,
): Promise<Place> {
  const { categoryId = now.categoryId } = wanted;
  const present = categoryId === now.categoryId ? now.position : undefined;
  if (present !== undefined && wanted.position === undefined)
    return { categoryId, position: present };
  const all = await channelsUnder(work, serverId, categoryId);
  const others = all.filter((channel) => channel.id !== id);
  if (wanted.position === undefined) return { categoryId, position: lastPlace(others) };
  const move = moveTo(others, wanted.position, present);
  for (const other of move.renumbered)
    await writeChannel(work, other, { position: other.position });
  return { categoryId, position: move.position };
}

/**
 * Those in a category, or those in none.
 * @throws ChatError not_found if it is none of this server's
 */
export async function channelsUnder(
  work: Work,
  serverId: string,
  categoryId: string | null,
): Promise<Channel[]> {
  if (categoryId !== null) await mustBeIn(work.db, serverId, categoryId);
  const channels = await store.findChannels(work.db, serverId);
  return channels.filter((channel) => channel.categoryId === categoryId);
}

/** Takes all channels out of a category that ends: in their order, below those without one. */
export async function uncategorise(
  work: Work,
  serverId: string,
  categoryId: string,
): Promise<void> {
  const first = lastPlace(await channelsUnder(work, serverId, null));
  for (const [i, channel] of (await channelsUnder(work, serverId, categoryId)).entries())
    await writeChannel(work, channel, { categoryId: null, position: first + i });
}

/** Writes what has become of a channel, and tells those who see it. */
export async function writeChannel(
  work: Work,
  { id, serverId, private: isPrivate }: Channel,
  to: Partial<Pick<Channel, 'name' | 'topic'> & Place>,
): Promise<void> {
  if (isPrivate) {
    await store.updateChannel(work.db, id, to);
    return tellInsiders(work, id);
  }
  const room = serverRoom(serverId);
  const version = work.next(room);
  await store.updateChannel(work.db, id, { ...to, version });
  const channel = await store.storedChannel(work.db, id, false);
  work.tell(room, { type: 'channel:updated', version, channel });
}
