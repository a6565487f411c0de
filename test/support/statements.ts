import pg from 'pg';

/** Counts the statements that `work` has any node of this process send to the database. */
export async function countStatements(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const connections = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  const ask = connections.query;
  connections.query = function (statement, ...rest) {
    sent.push(textOf(statement));
    return ask.call(this, statement, ...rest);
  };
  await work().finally(() => (connections.query = ask));
  return sent;
}

export const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : String((statement as { text?: unknown }).text);
