import process from 'node:process';
import type { App } from '../app.ts';
import { logSparingly } from './log.ts';

/**
 * Logs and counts promises that were rejected while nobody awaited them. Node.js would end the process, and with it
 * everyone's connection, because of one request that was foreseen badly.
 */
export function surviveRejections({ log, metrics }: Pick<App, 'log' | 'metrics'>): void {
  process.on('unhandledRejection', (error) => {
    metrics.rejections.inc();
    logSparingly(log, 'error', 'a promise was rejected that nothing awaits', { err: error });
  });
}
