import type { Socket } from 'node:net';
import pg from 'pg';
import { Sequelize, type Options } from 'sequelize';
import { query, type Db } from './database.ts';
import { openRenewal } from './renewal.ts';
import { shareConnections } from './shares.ts';

/** Where PostgreSQL is: a host, or the directory of the embedded one's socket. */
export interface DatabaseAddress {
  host: string;
  port?: number;
  database: string;
  user: string;
  password?: string;
  ssl?: boolean;
}

// Versions and positions are bigint. They stay far below 2^53, so they are read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * Milliseconds. `statement`: the longest statement. `silence`: the longest wait for an answer before a connection
 * counts as dead. `unused`: how long an idle connection is kept, because a new one costs PostgreSQL as much as a
 * hundred statements.
 */
const timeoutMs = { statement: 10_000, silence: 12_000, unused: 60_000 };

/**
 * Sequelize adds its error listener a moment after connecting. If PostgreSQL ends the connection before that, the
 * unhandled error would end the process. So this client has a listener from the start; its next statement fails by
 * itself. Pipelining sends statements together if they do not wait for each other.
 */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, pipeline: true });
    this.on('error', () => undefined);
  }
}

/** The oldest supported version. Without it, Sequelize would query the version on an extra connection. */
const databaseVersion = '14.0.0';

/** Checks a new connection before its first use. @throws the reason to close it */
export type Inspect = (ask: Ask) => Promise<void>;
export type Ask = <Row extends object>(sql: string) => Promise<Row[]>;

export function connect(
  where: string | DatabaseAddress,
  poolSize = 20,
  inspect?: Inspect,
): Sequelize {
  const open = new Set<Socket>();
  const renewal = openRenewal(() => {
    tryConnection(sequelize);
  });
  const isFresh = (connection: unknown): boolean => {
    const { _invalid, _ending } = connection as Record<'_invalid' | '_ending', unknown>;
    return !_invalid && !_ending && renewal.canUse();
  };
  const admit = async (connection: unknown) => {
    const client = connection as pg.Client;
    const socket = endIfSilent(client);
    const ask: Ask = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
    await inspect?.(ask).catch((error: unknown) => {
      socket.destroy();
      throw error;
    });
    renewal.made();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  const options = {
    dialect: 'postgres' as const,
    dialectModule: { ...pg, Client },
    logging: false as const,
    databaseVersion,
    pool: {
      ...{ max: poolSize, min: 0, acquire: 5_000, idle: timeoutMs.unused },
      validate: isFresh,
    },
    hooks: { afterConnect: admit },
    dialectOptions: {
      application_name: 'parley',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      // A frozen node must not hold the lock on a busy timeline's row for ever.
      idle_in_transaction_session_timeout: 5_000,
      lock_timeout: 2_000,
      statement_timeout: timeoutMs.statement,
    },
  };
  const sequelize = sequelizeAt(where, options);
  opened.set(sequelize, open);
  return sequelize;
}

/** Errors are ignored here: `openRenewal` notices if no connection could be made for too long. */
function tryConnection(sequelize: Sequelize): void {
  const manager = sequelize.connectionManager as unknown as Connector;
  manager
    ._connect(manager.config)
    .then((connection) => manager._disconnect(connection))
    .catch(() => undefined);
}

/** Sequelize's internal method for a connection outside the pool. */
interface Connector {
  readonly config: object;
  _connect(config: object): Promise<object>;
  _disconnect(connection: object): Promise<void>;
}

const opened = new WeakMap<Sequelize, Set<Socket>>();

/** Closes all connections of this pool at once. Running statements fail as if PostgreSQL had stopped. */
export function endConnections({ sequelize }: Db): void {
  for (const socket of opened.get(sequelize) ?? []) socket.destroy();
}

/** A single connection without time-outs, for work that takes or waits for hours. `prepare` runs on it first. */
export function connectPatiently(
  where: string | DatabaseAddress,
  prepare: (client: pg.Client) => Promise<void>,
): Sequelize {
  const options = {
    dialect: 'postgres' as const,
    dialectModule: { ...pg, Client },
    logging: false as const,
    databaseVersion,
    pool: { max: 1, acquire: maxTimerMs, idle: maxTimerMs },
    hooks: { afterConnect: (connection: unknown) => prepare(connection as pg.Client) },
    dialectOptions: {
      application_name: 'parley migrations',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    },
  };
  return sequelizeAt(where, options);
}

/** The longest timer of Node, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

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

/** Closes a connection that owes an answer for too long. On a half-open one a statement would wait for ever. */
function endIfSilent(client: pg.Client): Socket {
  const inner = client as unknown as { connection: { stream: Socket }; readyForQuery: boolean };
  const { stream } = inner.connection;
  stream.setTimeout(timeoutMs.silence, () => {
    if (!inner.readyForQuery) stream.destroy();
  });
  return stream;
}

/** Returns why the database cannot be used; undefined if it can. */
export async function reach(where: string): Promise<string | undefined> {
  const sequelize = connect(where, 1);
  try {
    const [found] = await query<{ isStandby: boolean }>(
      { sequelize },
      'select pg_is_in_recovery() as "isStandby"',
    );
    return found?.isStandby === true ? 'it is a read-only standby' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await sequelize.close();
  }
}
