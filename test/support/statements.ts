import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Milliseconds without a statement after which earlier work counts as finished. */
const silence = 100;

/** Waits until this process sends no statement for a while, so that work left by earlier commands is not counted. */
export async function untilSilent(): Promise<void> {
  const connections = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  const ask = connections.query;
  let asked = 0;
  connections.query = function (...given) {
    asked += 1;
    return ask.apply(this, given);
  };
  for (let before = -1; before !== asked;) {
    before = asked;
    await sleep(silence);
  }
  connections.query = ask;
}

/** Statements that this process's nodes send during `work`. Hold a node's clock first, so that its timers send none. */
export async function countStatements(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(work)).map(sqlOf);
}

/** Statements during `work` that have no name, so that PostgreSQL parses and plans them each time. */
export async function unpreparedStatements(work: () => Promise<unknown>): Promise<string[]> {
  const isNamed = (statement: unknown) => (statement as { name?: unknown }).name !== undefined;
  return (await statementsOf(work)).filter((statement) => !isNamed(statement)).map(sqlOf);
}

/** The statements that a new connection begins with. The pool opens one when work overlaps by chance. */
const opening = /^SET client_min_messages|system_identifier/;

async function statementsOf(work: () => Promise<unknown>): Promise<unknown[]> {
  await untilSilent();
  const sent: unknown[] = [];
  const connections = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  const ask = connections.query;
  connections.query = function (statement, ...rest) {
    sent.push(statement);
    return ask.call(this, statement, ...rest);
  };
  await work().finally(() => (connections.query = ask));
  return sent.filter((statement) => !opening.test(sqlOf(statement)));
}

/** Counts how often this process writes to its database connections during `work`. */
export async function countWrites(work: () => Promise<unknown>): Promise<number> {
  await untilSilent();
  const streams = new Set<Socket>();
  const connections = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  const sockets = Socket.prototype as unknown as Record<'_writeGeneric', Write>;
  const { query: ask } = connections;
  const { _writeGeneric: write } = sockets;
  let writes = 0;
  connections.query = function (this: { connection: { stream: Socket } }, ...asked) {
    streams.add(this.connection.stream);
    return ask.apply(this, asked);
  };
  sockets._writeGeneric = function (this: Socket, ...written) {
    if (streams.has(this)) writes += 1;
    return write.apply(this, written);
  };
  await work().finally(() => {
    connections.query = ask;
    sockets._writeGeneric = write;
  });
  return writes;
}

type Write = (...written: unknown[]) => unknown;

export const sqlOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : String((statement as { text?: unknown }).text);
