import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';

export type { Logger } from 'pino';

/** JSON in production, readable in development; on standard error, since standard output holds the address. */
export function openLog({ LOG_LEVEL, NODE_ENV }: Config): Logger {
  const secrets = { paths: ['*.password', '*.token', '*.cookie', '*.body'], remove: true };
  const options = { level: LOG_LEVEL, redact: secrets };
  if (NODE_ENV === 'production') return pino(options, pino.destination(2));
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
  });
}
