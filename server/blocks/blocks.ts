import { Block } from '../../shared/blocks.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { requirePerson } from '../people/people.ts';
import { commit } from '../commit.ts';
import { announcePresenceOfPair } from '../conversations/conversations.ts';
import { readTransaction } from '../database/database.ts';
import { pageOf } from '../people/pages.ts';
import { endAllBetween } from '../friends/friends.ts';
import { pairLock } from '../database/locks.ts';
import { endTransfersBetween } from '../transfers/transfers.ts';
import type { Caller } from '../caller.ts';
import * as store from './store.ts';

export async function blockPerson(
  caller: Caller,
  { userId }: Parsed<'block:create'>,
): Promise<Block> {
  const { db, user } = caller;
  if (userId === user.id) throw conflict('You can’t do this to yourself.');
  await requirePerson(db, user, { userId });
  const locks = { exclusive: [pairLock(user.id, userId)], rooms: [user.id, userId].map(userRoom) };
  const block = await commit(caller, locks, async (work) => {
    const known = await store.findBlock(work.db, user.id, userId);
    if (known !== undefined) return known;
    if ((await store.countBlocks(work.db, user.id)) >= quotas.blocksPerPerson)
      throw conflict(
        `You can block up to ${quotas.blocksPerPerson} people. Unblock someone first.`,
      );
    await endAllBetween(work, user.id, userId);
    await endTransfersBetween(work, user.id, userId);
    const version = work.nextVersion(userRoom(user.id));
    const pair = { userId: user.id, blockedId: userId };
    const block = await store.insertBlock(work.db, { ...pair, version });
    work.change(userRoom(user.id), { type: 'block:created', version, block });
    return block;
  });
  await announcePresenceOfPair(caller, user.id, userId);
  return block;
}

export async function listBlocks(
  { db, user }: Caller,
  { after, limit = limits.page }: Parsed<'block:list'>,
): Promise<Output<'block:list'>> {
  return readTransaction(db, async (db) => {
    const found = await store.findBlocks(db, user.id, { after, limit: limit + 1 });
    const { rows: blocks, ...rest } = await pageOf(db, found, limit, personIdsIn(Block));
    return { blocks, ...rest };
  });
}

export async function liftBlock(caller: Caller, { userId }: Parsed<'block:delete'>): Promise<void> {
  const { user } = caller;
  const room = userRoom(user.id);
  await commit(caller, { rooms: [room] }, async (work) => {
    if (!(await store.deleteBlock(work.db, user.id, userId))) throw notFound();
    work.change(room, { type: 'block:deleted', version: work.nextVersion(room), userId });
  });
  await announcePresenceOfPair(caller, user.id, userId);
}
