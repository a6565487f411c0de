/** Where channels stand: in which category, and in which order there. */
import type { Channel } from '../../shared/channels.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { requireCategoryIn } from '../categories/access.ts';
import type { RoomTransaction } from '../commit.ts';
import { insertAt, numbered, type Numbered } from './numbering.ts';
import { changePrivateChannel, changePrivateChannels } from './private-channels.ts';
import * as store from './store.ts';

export type ChannelPosition = Pick<Channel, 'categoryId' | 'position'>;

/**
 * The place of a channel that is to go before the one at `position`; without that it stays, or goes to the end of
 * another category. The others are numbered for it; its own place is still to be written.
 * @throws ChatError not_found if the category is none of its server's
 */
export async function positionFor(
  work: RoomTransaction,
  channel: Channel,
  wanted: Pick<Parsed<'channel:update'>, 'categoryId' | 'position'>,
): Promise<ChannelPosition> {
  const { serverId, position } = channel;
  const { categoryId = channel.categoryId } = wanted;
  const stays = categoryId === channel.categoryId;
  if (stays && wanted.position === undefined) return { categoryId, position };
  const all = await channelsUnder(work, serverId, categoryId);
  const others = all.filter(isOther(channel));
  const at = indexOf(others, wanted.position);
  if (stays && all[at]?.id === channel.id) return { categoryId, position };
  if (!stays) await closeRanks(work, channel);
  return { categoryId, position: await makeRoom(work, others, channel, at) };
}

/** The number below the others of its category, which are numbered for it. */
export async function endOfCategory(
  work: RoomTransaction,
  channel: Numbered & Pick<Channel, 'serverId' | 'categoryId'>,
): Promise<number> {
  const others = await channelsUnder(work, channel.serverId, channel.categoryId);
  return makeRoom(work, others, channel, others.length);
}

/** The number that a channel has where it stands once it is private, or public, and what numbers the others after that. */
export async function placeChannel(
  work: RoomTransaction,
  channel: Channel,
  isPrivate: boolean,
): Promise<{ position: number; numberOthers: () => Promise<void> }> {
  const all = await channelsUnder(work, channel.serverId, channel.categoryId);
  const at = all.findIndex(({ id }) => id === channel.id);
  const others = all.filter(isOther(channel));
  const order = insertAt<Numbered>(others, { ...channel, private: isPrivate }, at);
  const numberOthers = () => renumber(work, others, order);
  return { position: numberOf(order, channel), numberOthers };
}

/** Numbers the channels of a category that one of them leaves, or has left. */
export async function closeRanks(
  work: RoomTransaction,
  channel: Pick<Channel, 'id' | 'serverId' | 'categoryId'>,
): Promise<void> {
  const all = await channelsUnder(work, channel.serverId, channel.categoryId);
  const others = all.filter(isOther(channel));
  await renumber(work, others, numbered(others));
}

async function makeRoom(work: RoomTransaction, others: Channel[], channel: Numbered, at: number) {
  const order = insertAt<Numbered>(others, channel, at);
  await renumber(work, others, order);
  return numberOf(order, channel);
}

async function renumber(
  work: RoomTransaction,
  channels: Channel[],
  order: Numbered[],
): Promise<void> {
  const before = new Map(channels.map((channel) => [channel.id, channel]));
  const moved = order.flatMap(({ id, position }): Channel[] => {
    const channel = before.get(id);
    return channel === undefined || channel.position === position ? [] : [{ ...channel, position }];
  });
  await writePlaces(work, moved);
}

/** Where the first stands at `wanted` or beyond; without one, or without a wish, the end. */
function indexOf(others: Channel[], wanted = Infinity): number {
  const found = others.findIndex(({ position }) => position >= wanted);
  return found === -1 ? others.length : found;
}

function numberOf(order: Numbered[], { id }: { id: string }): number {
  const found = order.find((one) => one.id === id);
  if (found === undefined) throw new Error('a channel has no place in its category');
  return found.position;
}

const isOther =
  ({ id }: { id: string }) =>
  (one: { id: string }) =>
    one.id !== id;

/**
 * Those in a category, or those in none.
 * @throws ChatError not_found if it is none of this server's
 */
export async function channelsUnder(
  work: RoomTransaction,
  serverId: string,
  categoryId: string | null,
): Promise<Channel[]> {
  if (categoryId !== null) await requireCategoryIn(work.db, serverId, categoryId);
  const channels = await store.findChannels(work.db, serverId);
  return channels.filter((channel) => channel.categoryId === categoryId);
}

/** Takes all channels out of a category that ends: in their order, below those without one. */
export async function uncategorise(
  work: RoomTransaction,
  serverId: string,
  categoryId: string,
): Promise<void> {
  const before = await channelsUnder(work, serverId, null);
  const added = await channelsUnder(work, serverId, categoryId);
  const order = numbered([...before, ...added]);
  await renumber(work, before, order);
  await writePlaces(
    work,
    order.slice(before.length).map((channel) => ({ ...channel, categoryId: null })),
  );
}

/** Writes where these channels stand now, however many, by one statement, and tells those who see them. */
async function writePlaces(work: RoomTransaction, channels: Channel[]): Promise<void> {
  const placed = channels.map((channel): Channel =>
    channel.private
      ? channel
      : { ...channel, version: work.nextVersion(serverRoom(channel.serverId)) },
  );
  await store.updatePlaces(work.db, placed);
  await changePrivateChannels(
    work,
    placed.filter((channel) => channel.private),
  );
  for (const channel of placed) {
    const { version, serverId } = channel;
    if (!channel.private)
      work.change(serverRoom(serverId), { type: 'channel:updated', version, channel });
  }
}

/** Writes what has become of a channel, and tells those who see it. */
export async function writeChannel(
  work: RoomTransaction,
  { id, serverId, private: isPrivate }: Pick<Channel, 'id' | 'serverId' | 'private'>,
  to: Partial<Pick<Channel, 'name' | 'topic'> & ChannelPosition>,
): Promise<void> {
  if (isPrivate) {
    await store.updateChannel(work.db, id, to);
    return changePrivateChannel(work, id);
  }
  const room = serverRoom(serverId);
  const version = work.nextVersion(room);
  await store.updateChannel(work.db, id, { ...to, version });
  const channel = await store.storedChannel(work.db, id, false);
  work.change(room, { type: 'channel:updated', version, channel });
}
