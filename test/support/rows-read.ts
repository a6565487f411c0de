import pg from 'pg';
import { query, type Db } from '../../server/database/database.ts';
import { sqlOf, untilSilent } from './statements.ts';

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

/** Counts the rows that the database looks at for the reads of `work`, by its own plans. */
export async function countRowsRead(db: Db, work: () => Promise<unknown>): Promise<number> {
  const reads = await readsDuring(work);
  let rows = 0;
  for (const { sql, bind } of reads) {
    const [explained] = await query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      db,
      `explain (analyze, format json) ${sql}`,
      bind,
    );
    rows += rowsIn(explained?.['QUERY PLAN'].map((one) => one.Plan));
  }
  return rows;
}

interface Statement {
  sql: string;
  bind?: unknown[];
}

async function readsDuring(work: () => Promise<unknown>): Promise<Statement[]> {
  await untilSilent();
  const reads: Statement[] = [];
  const connections = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  const ask = connections.query;
  connections.query = function (sql, bind, ...rest) {
    const text = sqlOf(sql);
    const values = (sql as { values?: unknown }).values ?? bind;
    if (/^\s*(select|with mine)\b/i.test(text))
      reads.push({ sql: text, ...(Array.isArray(values) && { bind: values }) });
    return ask.call(this, sql, bind, ...rest);
  };
  await work().finally(() => (connections.query = ask));
  return reads;
}

const rowsIn = (plans: Plan[] = []): number =>
  plans.reduce(
    (sum, plan) =>
      sum +
      (plan['Actual Rows'] +
        (plan['Rows Removed by Filter'] ?? 0) +
        (plan['Rows Removed by Join Filter'] ?? 0)) *
        plan['Actual Loops'] +
      rowsIn(plan.Plans),
    0,
  );
