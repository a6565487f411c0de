import { pino, type Logger } from 'pino';
import { sqlState } from './database/database.ts';
import type { Config } from './config.ts';

export type { Logger } from 'pino';

/** JSON in production, readable in development; on standard error, since standard output holds the address. */
export function openLog({ LOG_LEVEL, NODE_ENV }: Config): Logger {
  const secrets = { paths: ['*.password', '*.token', '*.cookie', '*.body'], remove: true };
  const options = { level: LOG_LEVEL, redact: secrets, serializers: { err: withoutValues } };
  if (NODE_ENV === 'production') return pino(options, pino.destination(2));
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
  });
}

/** An error as the log shows it. Those of the database carry their statement's values: hashes, and what people wrote. */
export const withoutValues = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, stack: error.stack, code: sqlState(error) }
    : { type: typeof error };
