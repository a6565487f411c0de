import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import { Sequelize, type Options, type Transaction } from 'sequelize';
import { shareConnections, type Share } from './shares.ts';
import {
  inSnapshot,
  inTransaction,
  onConnection,
  sendTogether,
  type OpenTransaction,
} from './transaction.ts';

/** A way to ask the database: on any connection, or within one transaction. */
export interface Db {
  sequelize: Sequelize;
  transaction?: OpenTransaction;
  /** Whose share of the connections is used; the node's own work waits for nobody. */
  share?: Share;
}

/** Where PostgreSQL is: an address, or the embedded one's socket. */
export interface DatabaseAddress {
  host: string;
  port?: number;
  database: string;
  user: string;
  password?: string;
  ssl?: boolean;
}

// Versions and positions are bigint. They stay far below 2^53, so they are numbers here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * How long PostgreSQL may work on a statement; how long a connection may be silent before it is taken for
 * dead, since its other end may be gone without a word; how long an unused one is kept, and any. In milliseconds.
 */
const patience = { statement: 10_000, silence: 12_000, unused: 8_000, serving: 10_000 };

/**
 * Sequelize listens for errors a moment after a connection is there. One that PostgreSQL ends with the same
 * breath would end the process: an error that nobody listens to. What is asked of it then fails by itself.
 * Statements that do not wait for each other are sent together.
 */
class Client extends pg.Client {
  readonly born = performance.now();

  constructor(config?: pg.ClientConfig) {
    super({ ...config, pipeline: true });
    this.on('error', () => undefined);
  }
}

/** Looks at a new connection before anybody uses it. @throws what makes it unfit: then it is ended */
export type Inspect = (ask: Ask) => Promise<void>;
export type Ask = <Row extends object>(sql: string) => Promise<Row[]>;

export function connect(
  where: string | DatabaseAddress,
  poolSize = 16,
  inspect?: Inspect,
): Sequelize {
  const open = new Set<Socket>();
  const admit = async (connection: unknown) => {
    const client = connection as pg.Client;
    const socket = endIfSilent(client);
    const ask: Ask = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
    await inspect?.(ask).catch((error: unknown) => {
      socket.destroy();
      throw error;
    });
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  const options = {
    dialect: 'postgres' as const,
    dialectModule: { ...pg, Client },
    logging: false as const,
    pool: {
      ...{ max: poolSize, min: 0, acquire: 5_000, idle: patience.unused },
      validate: isFresh,
    },
    hooks: { afterConnect: admit },
    dialectOptions: {
      application_name: 'parley',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      // A frozen node must not hold a busy timeline's row for ever.
      idle_in_transaction_session_timeout: 5_000,
      lock_timeout: 2_000,
      statement_timeout: patience.statement,
    },
  };
  const sequelize = sequelizeAt(where, options);
  opened.set(sequelize, open);
  return sequelize;
}

const opened = new WeakMap<Sequelize, Set<Socket>>();

/** Ends all connections of this pool at once. What is under way fails as if PostgreSQL had gone. */
export function endConnections({ sequelize }: Db): void {
  for (const socket of opened.get(sequelize) ?? []) socket.destroy();
}

/**
 * For what may take hours, or wait for as long: a single connection, without any time-out.
 * @param prepare what the connection must have done before it serves
 */
export function connectPatiently(
  where: string | DatabaseAddress,
  prepare: (client: pg.Client) => Promise<void>,
): Sequelize {
  const options = {
    dialect: 'postgres' as const,
    dialectModule: { ...pg, Client },
    logging: false as const,
    // Otherwise Sequelize asks for it, by a connection of its own.
    databaseVersion: '14.0.0',
    pool: { max: 1, acquire: forEver, idle: forEver },
    hooks: { afterConnect: (connection: unknown) => prepare(connection as pg.Client) },
    dialectOptions: {
      application_name: 'parley migrations',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    },
  };
  return sequelizeAt(where, options);
}

/** The longest that a timer of Node can be, in milliseconds. */
const forEver = 2 ** 31 - 1;

function sequelizeAt(where: string | DatabaseAddress, options: Options): Sequelize {
  if (typeof where === 'string') return shareConnections(new Sequelize(where, options));
  return shareConnections(
    new Sequelize({
      ...options,
      host: where.host,
      port: where.port ?? 5432,
      database: where.database,
      username: where.user,
      ...(where.password === undefined ? {} : { password: where.password }),
    }),
  );
}

/** A connection that was half-open would keep who waits on it waiting for ever. */
function endIfSilent(client: pg.Client): Socket {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.setTimeout(patience.silence, () => stream.destroy());
  return stream;
}

/** Sequelize's question before it lends a connection. The address may lead elsewhere by now: to another primary. */
function isFresh(connection: unknown): boolean {
  const { born, _invalid, _ending } = connection as Client &
    Record<'_invalid' | '_ending', unknown>;
  return !_invalid && !_ending && performance.now() - born < patience.serving;
}

/** A statement that PostgreSQL parses once for each connection, and plans a few times. */
export interface NamedValues {
  name: string;
  text: string;
}

/** Its plan must be a good one for all that may be bound. */
export const named = (text: string): NamedValues => ({
  name: createHash('sha256').update(text).digest('base64url').slice(0, 20),
  text,
});

/** Rows of one statement. Parameters are bound ($1, $2 …), never written into the text. */
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
  if (transaction === undefined) return onConnection(db, ask);
  // Its connection may be somebody else's by now.
  if (transaction.finished !== undefined) throw new Error('this transaction is over');
  return ask(transaction.connection).catch((error: unknown) => {
    throw (transaction.failure ??= error);
  });
}

/** Sequelize's options for a statement: in this transaction, if it is one, or in this share. */
export const within = ({ transaction, share }: Db) => {
  if (transaction !== undefined)
    return { transaction: transaction as Partial<Transaction> as Transaction };
  return share === undefined ? {} : { share };
};

/** One READ COMMITTED transaction. Within, only its own `db` may be asked: another connection might never come. */
export const transaction = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  inTransaction(db, (transaction) => work({ sequelize: db.sequelize, transaction }));

/** Everything that `work` reads is of one moment. What it asks at once goes out together. */
export const snapshot = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  inSnapshot(db, (transaction) => work({ sequelize: db.sequelize, transaction }));

/** PostgreSQL's code for what went wrong (23505: unique violation), or undefined if it was not PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  const original = error instanceof Error && 'original' in error ? error.original : error;
  return original instanceof Error && 'code' in original && typeof original.code === 'string'
    ? original.code
    : undefined;
}

// Connection lost, shutting down, too many connections, lock or statement time-out, a standby, clashes without end.
const away = /^(08|57P|53|55P03|57014|25006|25P03|40|ECONN|ENOENT|EPIPE|ETIMEDOUT)/;

/** Whether somebody else held a lock for longer than this connection waits for one. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03';

/** Whether this went wrong because PostgreSQL, or the row, was not to be had at the time. */
export const isAway = (error: unknown): boolean =>
  away.test(sqlState(error) ?? '') ||
  (error instanceof Error &&
    /SequelizeConnection|Connection terminated|connection error/.test(
      `${error.name} ${error.message}`,
    ));

/** Why PostgreSQL cannot be used there, or undefined if it can. */
export async function reach(where: string): Promise<string | undefined> {
  const sequelize = connect(where, 1);
  try {
    const [found] = await query<{ isStandby: boolean }>(
      { sequelize },
      'select pg_is_in_recovery() as "isStandby"',
    );
    return found?.isStandby === true ? 'it is a standby, which only reads' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await sequelize.close();
  }
}
