import type { Block } from '../../shared/blocks.ts';
import { named, query, within, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { blocks, type BlockRow } from './model.ts';

const toBlock = ({ blockedId, createdAt, version }: BlockRow): Block => {
  return { userId: blockedId, createdAt: createdAt.toISOString(), version };
};

export async function findBlock(
  db: Db,
  userId: string,
  blockedId: string,
): Promise<Block | undefined> {
  const row = await blocks(db).findOne({ where: { userId, blockedId }, ...within(db) });
  return row === null ? undefined : toBlock(row.get());
}

const blocksOf = named(
  `select user_id as "userId", blocked_id as "blockedId", created_at as "createdAt", version
   from blocks where user_id = $1 and ($2::uuid is null or blocked_id > $2)
   order by blocked_id limit $3`,
);

export async function findBlocks(
  db: Db,
  userId: string,
  { after, limit }: Page = {},
): Promise<Block[]> {
  const rows = await query<BlockRow>(db, blocksOf, [userId, after ?? null, limit ?? null]);
  return rows.map(toBlock);
}

export const countBlocks = (db: Db, userId: string): Promise<number> =>
  blocks(db).count({ where: { userId }, ...within(db) });

const blocksBetween = named(
  `select blocks.user_id as "userId", blocked_id as "blockedId"
   from blocks join unnest($1::uuid[], $2::uuid[]) as pair (user_id, blocked_id)
     using (user_id, blocked_id)`,
);

export const findBlocksBetween = (
  db: Db,
  pairs: (readonly [string, string])[],
): Promise<Pick<BlockRow, 'userId' | 'blockedId'>[]> =>
  query(db, blocksBetween, [
    [...pairs.map(([one]) => one), ...pairs.map(([, other]) => other)],
    [...pairs.map(([, other]) => other), ...pairs.map(([one]) => one)],
  ]);

export const findApart = (db: Db, userId: string): Promise<{ id: string }[]> =>
  query(
    db,
    `select blocked_id as id from blocks where user_id = $1
     union select user_id from blocks where blocked_id = $1`,
    [userId],
  );

export const findApartEach = (
  db: Db,
  userIds: string[],
): Promise<Pick<BlockRow, 'userId' | 'blockedId'>[]> =>
  query(
    db,
    `select user_id as "userId", blocked_id as "blockedId" from blocks where user_id = any($1::uuid[])
     union select blocked_id, user_id from blocks where blocked_id = any($1::uuid[])`,
    [userIds],
  );

export async function insertBlock(
  db: Db,
  block: Pick<BlockRow, 'userId' | 'blockedId' | 'version'>,
): Promise<Block> {
  const row = await blocks(db).create(block, within(db));
  return toBlock(row.get());
}

export async function deleteBlock(db: Db, userId: string, blockedId: string): Promise<boolean> {
  return (await blocks(db).destroy({ where: { userId, blockedId }, ...within(db) })) > 0;
}
