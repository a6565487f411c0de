/** Opens transactions on Sequelize’s connections. Sequelize itself uses half of a statement’s processor time for it. */
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Sequelize } from 'sequelize';
import type { Share } from './shares.ts';

interface ConnectionSource {
  sequelize: Sequelize;
  share?: Share;
}

/** Sequelize’s pool, as `shareConnections` wraps it. */
interface Pool {
  getConnection(options: { share?: Share }): Promise<pg.Client>;
  releaseConnection(connection: pg.Client): void;
  destroyConnection(connection: pg.Client): Promise<void>;
}

/** The parts of a transaction that Sequelize’s models read. */
export interface OpenTransaction {
  readonly connection: pg.Client;
  finished?: 'commit' | 'rollback';
  /** The first error of a statement. Statements sent after it only report that the transaction is aborted. */
  failure?: unknown;
}

const poolOf = ({ sequelize }: ConnectionSource) => sequelize.connectionManager as unknown as Pool;
const optionsOf = ({ share }: ConnectionSource) => (share === undefined ? {} : { share });

/** Corked connections. */
const sending = new WeakSet<pg.Client>();

/**
 * Sends the statements of one tick together. A packet for each statement would take a fifth of the processor time for a
 * connecting client, and wake PostgreSQL each time.
 */
export function sendTogether(client: pg.Client): void {
  if (sending.has(client)) return;
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  sending.add(client);
  stream.cork();
  process.nextTick(() => {
    sending.delete(client);
    stream.uncork();
  });
}

export async function withConnection<T>(
  lender: ConnectionSource,
  work: (connection: pg.Client) => Promise<T>,
): Promise<T> {
  const pool = poolOf(lender);
  const connection = await pool.getConnection(optionsOf(lender));
  try {
    return await work(connection);
  } finally {
    pool.releaseConnection(connection);
  }
}

export async function inTransaction<T>(
  lender: ConnectionSource,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  const pool = poolOf(lender);
  const connection = await pool.getConnection(optionsOf(lender));
  const transaction: OpenTransaction = { connection };
  const end = async (how: 'commit' | 'rollback') => {
    transaction.finished = how;
    let command: string;
    try {
      ({ command } = await connection.query(how));
    } catch (error) {
      // The state of the connection is unknown.
      await pool.destroyConnection(connection);
      throw error;
    }
    pool.releaseConnection(connection);
    // PostgreSQL answers a commit like this after an error that `work` caught.
    if (how === 'commit' && command === 'ROLLBACK')
      throw new Error('the commit was rolled back because a statement had failed', {
        cause: transaction.failure,
      });
  };
  let result: T;
  try {
    sendTogether(connection);
    // `begin` is sent together with the first statements of `work`.
    [, result] = await Promise.all([connection.query('begin'), work(transaction)]);
  } catch (error) {
    // The first error says more than that of the rollback on a lost connection.
    await end('rollback').catch(() => undefined);
    throw error;
  }
  await end('commit');
  return result;
}

/** Does not wait for `commit`, because there is nothing to lose. */
export const inSnapshot = <T>(
  lender: ConnectionSource,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> =>
  withConnection(lender, async (connection) => {
    const transaction: OpenTransaction = { connection };
    try {
      sendTogether(connection);
      const [, result] = await Promise.all([
        connection.query('begin isolation level repeatable read read only'),
        work(transaction),
      ]);
      return result;
    } finally {
      transaction.finished = 'commit';
      sendTogether(connection);
      // This fails only on a lost connection, which the pool notices itself.
      connection.query('commit').catch(() => undefined);
    }
  });
