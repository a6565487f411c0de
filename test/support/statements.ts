import type { TestApp } from './app.ts';

/** Counts the statements that `work` makes a node send to the database, outside transactions. */
export async function countStatements(
  { app }: TestApp,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const sent: string[] = [];
  const { sequelize } = app.db;
  const query = sequelize.query.bind(sequelize);
  const counting = (sql: unknown, ...rest: unknown[]) => {
    sent.push(String(sql));
    return (query as (...all: unknown[]) => Promise<unknown>)(sql, ...rest);
  };
  Object.assign(sequelize, { query: counting });
  await work().finally(() => Object.assign(sequelize, { query }));
  return sent;
}
