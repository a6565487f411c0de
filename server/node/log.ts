import { pino, type Logger } from 'pino';
import { sqlState } from '../database/database.ts';
import type { Config } from '../config.ts';

export type { Logger } from 'pino';

/** JSON in production, readable in development; on standard error, since standard output holds the address. */
export function openLog({ LOG_LEVEL, NODE_ENV }: Config): Logger {
  const secrets = {
    paths: ['*.password', '*.token', '*.secret', '*.cookie', '*.body'],
    remove: true,
  };
  const options = { level: LOG_LEVEL, redact: secrets, serializers: { err: withoutValues } };
  if (NODE_ENV === 'production') return pino(options, pino.destination(2));
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
  });
}

/** The most characters of one text that is logged: strangers write some of them. */
const most = { text: 200, message: 1_000, stack: 4_000 };

/** What a client wrote, as far as it is logged. */
export const truncate = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.slice(0, most.text) : undefined;

/** An error as the log shows it. Those of the database carry their statement's values: hashes, and what people wrote. */
export const withoutValues = (error: unknown) =>
  error instanceof Error
    ? {
        type: error.name,
        message: error.message.slice(0, most.message),
        stack: error.stack?.slice(0, most.stack),
        code: sqlState(error),
      }
    : { type: typeof error };

/** Kinds of lines that were written within the last second, and how many more there were. */
const lately = new WeakMap<Logger, Map<string, number>>();

/**
 * Logs what a client can cause as often as it likes: one line a second of each kind, and then how many were left
 * out. Of kinds there must be few: none is made of what a client says.
 */
export function logSparingly(
  log: Logger,
  level: 'warn' | 'error',
  message: string,
  fields: object,
  kind = message,
): void {
  const kinds = lately.get(log) ?? new Map<string, number>();
  lately.set(log, kinds);
  const omitted = kinds.get(kind);
  if (omitted !== undefined) return void kinds.set(kind, omitted + 1);
  kinds.set(kind, 0);
  log[level](fields, message);
  setTimeout(() => {
    const more = kinds.get(kind) ?? 0;
    kinds.delete(kind);
    if (more > 0) log[level]({ more, kind }, `${message}: more of the same`);
  }, 1_000).unref();
}
