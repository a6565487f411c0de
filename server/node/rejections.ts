import process from 'node:process';
import { logSparingly, type Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/** By default Node.js ends the process, so an unhandled rejection in one request would close every connection. */
export function surviveRejections({ log, metrics }: { log: Logger; metrics: Metrics }): void {
  process.on('unhandledRejection', (error) => {
    metrics.rejections.inc();
    logSparingly(log, 'error', 'unhandled promise rejection', { err: error });
  });
}
