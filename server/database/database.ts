import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Sequelize, Transaction } from 'sequelize';
import type { Share } from './shares.ts';
import {
  inSnapshot,
  inTransaction,
  withConnection,
  sendTogether,
  type OpenTransaction,
} from './transaction.ts';

/** Runs statements: on any connection, or within one transaction. */
export interface Db {
  sequelize: Sequelize;
  transaction?: OpenTransaction;
  /** The share of the connections to use. The node’s own work has none, and no limit. */
  share?: Share;
}

/** A prepared statement: PostgreSQL parses it once per connection, and plans it a few times. */
export interface NamedValues {
  name: string;
  text: string;
}

/** For statements with one generic plan that suits all parameters. */
export const named = (text: string): NamedValues => ({
  name: createHash('sha256').update(text).digest('base64url').slice(0, 20),
  text,
});

/** Returns the rows of one statement. Parameters are bound ($1, $2 …), never written into the text. */
export async function query<Row extends object>(
  db: Db,
  statement: string | NamedValues,
  bind?: unknown[],
): Promise<Row[]> {
  const ask = async (connection: pg.Client) => {
    sendTogether(connection);
    const { rows } = await (typeof statement === 'string'
      ? connection.query<Row>(statement, bind)
      : connection.query<Row>({ ...statement, ...(bind && { values: bind }) }));
    return rows;
  };
  const { transaction } = db;
  if (transaction === undefined) return withConnection(db, ask);
  // Another transaction can already use its connection.
  if (transaction.finished !== undefined) throw new Error('the transaction has already ended');
  return ask(transaction.connection).catch((error: unknown) => {
    throw (transaction.failure ??= error);
  });
}

/** Sequelize's options for a statement: its transaction, if there is one, or its share. */
export const within = ({ transaction, share }: Db) => {
  if (transaction !== undefined)
    return { transaction: transaction as Partial<Transaction> as Transaction };
  return share === undefined ? {} : { share };
};

/** Runs `work` in a READ COMMITTED transaction. It must use only its own `db`: a second connection could deadlock. */
export const transaction = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  inTransaction(db, (transaction) => work({ sequelize: db.sequelize, transaction }));

/** Runs read-only `work` in one snapshot. Statements that are issued together are sent together. */
export const readTransaction = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  inSnapshot(db, (transaction) => work({ sequelize: db.sequelize, transaction }));

/** PostgreSQL's error code (23505: unique violation), or undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const original = error instanceof Error && 'original' in error ? error.original : error;
  return original instanceof Error && 'code' in original && typeof original.code === 'string'
    ? original.code
    : undefined;
}

// Connection lost, shutting down, too many connections, lock or statement time-out, a standby, repeated clashes.
const away = /^(08|57P|53|55P03|57014|25006|25P03|40|ECONN|ENOENT|EPIPE|ETIMEDOUT)/;

/** True if a write failed because the disk of the database is full. Reads still work. */
export const isFull = (error: unknown): boolean => sqlState(error) === '53100';

export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03';

/** True if PostgreSQL or a lock was unavailable, so that a retry can succeed. */
export const isAway = (error: unknown): boolean =>
  away.test(sqlState(error) ?? '') ||
  (error instanceof Error &&
    /SequelizeConnection|Connection terminated|connection error/.test(
      `${error.name} ${error.message}`,
    ));
