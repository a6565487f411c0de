import { pino, type Logger } from 'pino';
import { sqlState } from '../database/database.ts';
import type { Config } from '../config.ts';

export type { Logger } from 'pino';

/** Logs JSON in production, text in development; to standard error, because standard output has the address. */
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

/** Characters of a logged text at most, because clients write some of the texts. */
const max = { text: 200, message: 1_000, stack: 4_000 };

export const truncate = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.slice(0, max.text) : undefined;

/** Leaves out the values of statements, which database errors carry: hashes and people's texts. */
export const withoutValues = (error: unknown) =>
  error instanceof Error
    ? {
        type: error.name,
        message: error.message.slice(0, max.message),
        stack: error.stack?.slice(0, max.stack),
        code: sqlState(error),
      }
    : { type: typeof error };

/** Kinds of lines that were logged within the last second, with the number of omitted lines. */
const lately = new WeakMap<Logger, Map<string, number>>();

/**
 * Logs events that a client can cause at any rate: one line a second of each kind, then the number of omitted lines.
 * There must be few kinds, so no kind contains a client's text.
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
    if (more > 0) log[level]({ more, kind }, `${message}: omitted repeated lines`);
  }, 1_000).unref();
}
