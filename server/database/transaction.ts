/**
 * Lends connections of Sequelize's pool, and opens transactions on them: its own way there takes half of a node's
 * processor time for a statement.
 */
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Sequelize } from 'sequelize';
import type { Share } from './shares.ts';

interface Lender {
  sequelize: Sequelize;
  share?: Share;
}

/** Sequelize's pool, behind the door that `shareConnections` makes. */
interface Pool {
  getConnection(options: { share?: Share }): Promise<pg.Client>;
  releaseConnection(connection: pg.Client): void;
  destroyConnection(connection: pg.Client): Promise<void>;
}

/** As much of a transaction as Sequelize's models look at. */
export interface OpenTransaction {
  readonly connection: pg.Client;
  finished?: 'commit' | 'rollback';
  /** The error of its first statement that failed. Those that went out behind it only say that it had failed. */
  failure?: unknown;
}

const poolOf = ({ sequelize }: Lender) => sequelize.connectionManager as unknown as Pool;
const optionsOf = ({ share }: Lender) => (share === undefined ? {} : { share });

/** Connections that have something to send at the end of this turn. */
const sending = new WeakSet<pg.Client>();

/**
 * What a connection is asked in one turn of the event loop goes out together: a packet for each statement takes a
 * fifth of a node's processor time for letting somebody in, and PostgreSQL wakes up for each.
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

/** Does what needs one connection. */
export async function withConnection<T>(
  lender: Lender,
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

/** Does `work` in a READ COMMITTED transaction, and commits it. */
export async function inTransaction<T>(
  lender: Lender,
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
      // Nobody knows what state it is in.
      await pool.destroyConnection(connection);
      throw error;
    }
    pool.releaseConnection(connection);
    // So PostgreSQL answers a commit after an error that somebody kept to themselves.
    if (how === 'commit' && command === 'ROLLBACK')
      throw new Error('a statement had failed: nothing was stored', { cause: transaction.failure });
  };
  let result: T;
  try {
    sendTogether(connection);
    // With the first statements, which are answered after it.
    [, result] = await Promise.all([connection.query('begin'), work(transaction)]);
  } catch (error) {
    // Why it failed says more than that the connection is gone as well.
    await end('rollback').catch(() => undefined);
    throw error;
  }
  await end('commit');
  return result;
}

/**
 * Does what only reads, all of one moment. Its beginning goes out together with its first statements, and nobody
 * waits for its end, which has nothing to lose.
 */
export const inSnapshot = <T>(
  lender: Lender,
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
      // Where this fails the connection has been lost, which the pool hears by itself.
      connection.query('commit').catch(() => undefined);
    }
  });
