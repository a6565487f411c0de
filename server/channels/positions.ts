import type { Channel } from '../../shared/channels.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { requireCategoryIn } from '../categories/access.ts';
import type { RoomTransaction } from '../commit.ts';
import { insertAt, numbered, type Numbered } from './numbering.ts';
import { changePrivateChannel, changePrivateChannels } from './private-changes.ts';
import * as store from './store.ts';

export type ChannelPosition = Pick<Channel, 'categoryId' | 'position'>;

/**
 * Returns the place that a move results in: before the channel at `position`. Without a position it is the same place
 * in the same category, and the last in another. Renumbers the others; the caller writes the channel's own place.
 * @throws ChatError not_found if the category is not in the channel's server
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

/** Returns the number at the end of a category, and renumbers the others for it. */
export async function endOfCategory(
  work: RoomTransaction,
  channel: Numbered & Pick<Channel, 'serverId' | 'categoryId'>,
): Promise<number> {
  const others = await channelsUnder(work, channel.serverId, channel.categoryId);
  return makeRoom(work, others, channel, others.length);
}

/** Returns a channel's number after a change of its privacy. Call `numberOthers` after the change. */
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

/** Renumbers a category without a channel that leaves it. */
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

function indexOf(others: Channel[], wanted = Infinity): number {
  const found = others.findIndex(({ position }) => position >= wanted);
  return found === -1 ? others.length : found;
}

function numberOf(order: Numbered[], { id }: { id: string }): number {
  const found = order.find((one) => one.id === id);
  if (found === undefined) throw new Error('a channel has no position in its category');
  return found.position;
}

const isOther =
  ({ id }: { id: string }) =>
  (one: { id: string }) =>
    one.id !== id;

/** @throws ChatError not_found if the category is not in this server */
export async function channelsUnder(
  work: RoomTransaction,
  serverId: string,
  categoryId: string | null,
): Promise<Channel[]> {
  if (categoryId !== null) await requireCategoryIn(work.db, serverId, categoryId);
  const channels = await store.findChannels(work.db, serverId);
  return channels.filter((channel) => channel.categoryId === categoryId);
}

/** Moves all channels of a deleted category, in their order, below those without a category. */
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

export async function writeChannel(
  work: RoomTransaction,
  { id, serverId, private: isPrivate }: Pick<Channel, 'id' | 'serverId' | 'private'>,
  to: Partial<
    Pick<Channel, 'name' | 'topic'> &
      ChannelPosition & {
        announcements: boolean;
        slowSeconds: number;
        senderRoleIds: string[] | null;
        callerRoleIds: string[] | null;
      }
  >,
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
