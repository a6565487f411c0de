import process from 'node:process';
import type { App } from '../app.ts';
import { logSparingly } from './log.ts';

/**
 * Logs and counts unhandled rejections. By default Node.js ends the process on the first one, and a
 * bug in the handling of one request would close every connection.
 */
export function surviveRejections({ log, metrics }: Pick<App, 'log' | 'metrics'>): void {
  process.on('unhandledRejection', (error) => {
    metrics.rejections.inc();
    logSparingly(log, 'error', 'a promise was rejected that nothing awaits', { err: error });
  });
}
