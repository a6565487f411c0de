import { literal, Op } from 'sequelize';
import { limits } from '../../shared/limits.ts';
import type { Transfer } from '../../shared/transfers.ts';
import { named, query, within, type Db } from '../database/database.ts';
import { transfers, type TransferRow } from './model.ts';

/** An offer, with its version in the room of each of the two people. */
export type StoredTransfer = Omit<Transfer, 'version'> & { versions: Record<string, number> };

const toTransfer = (row: TransferRow): StoredTransfer => {
  const { serverId, fromId, toId, createdAt, fromVersion, toVersion } = row;
  const versions = { [fromId]: fromVersion, [toId]: toVersion };
  return { serverId, fromId, toId, createdAt: createdAt.toISOString(), versions };
};

export async function findTransfer(db: Db, serverId: string): Promise<StoredTransfer | undefined> {
  const row = await transfers(db).findByPk(serverId, within(db));
  return row === null ? undefined : toTransfer(row.get());
}

const transfersOf = named(
  `select server_id as "serverId", from_id as "fromId", to_id as "toId", created_at as "createdAt",
     from_version as "fromVersion", to_version as "toVersion"
   from transfers where from_id = $1 or to_id = $1 order by server_id`,
);

export async function findTransfersOf(db: Db, userId: string): Promise<StoredTransfer[]> {
  return (await query<TransferRow>(db, transfersOf, [userId])).map(toTransfer);
}

export async function findTransfersBetween(
  db: Db,
  one: string,
  other: string,
): Promise<StoredTransfer[]> {
  const two = [one, other];
  const rows = await transfers(db).findAll({ where: { fromId: two, toId: two }, ...within(db) });
  return rows.map((row) => toTransfer(row.get()));
}

const overdue = {
  createdAt: { [Op.lt]: literal(`now() - interval '${limits.transferDays} days'`) },
};

/** Up to `limit` servers with offers that were not answered for too long, the oldest first. */
export async function findOverdue(db: Db, limit: number): Promise<string[]> {
  const rows = await transfers(db).findAll({
    attributes: ['serverId'],
    where: overdue,
    order: ['createdAt'],
    limit,
    ...within(db),
  });
  return rows.map((row) => row.get().serverId);
}

export const isOverdue = async (db: Db, serverId: string): Promise<boolean> =>
  (await transfers(db).count({ where: { ...overdue, serverId }, ...within(db) })) > 0;

export async function insertTransfer(
  db: Db,
  transfer: Omit<TransferRow, 'createdAt'>,
): Promise<StoredTransfer> {
  const row = await transfers(db).create(transfer, { returning: true, ...within(db) });
  return toTransfer(row.get());
}

export async function deleteTransfer(db: Db, serverId: string): Promise<void> {
  await transfers(db).destroy({ where: { serverId }, ...within(db) });
}
