import { Socket } from 'node:net';
import pg from 'pg';

/** Counts the statements that `work` has any node of this process send to the database. */
export async function countStatements(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const connections = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  const ask = connections.query;
  connections.query = function (statement, ...rest) {
    sent.push(sqlOf(statement));
    return ask.call(this, statement, ...rest);
  };
  await work().finally(() => (connections.query = ask));
  return sent;
}

/** Counts how often this process writes to any of its connections to the database while `work` is done. */
export async function countWrites(work: () => Promise<unknown>): Promise<number> {
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
