/** The log of nodes in this process. Each log has a thread of its own, so nodes share one for each level. */
import type { Config } from '../../server/config.ts';
import { openLog, type Logger } from '../../server/node/log.ts';

const logs = new Map<string, Logger>();

export function logFor(config: Config): Logger {
  const log = logs.get(config.LOG_LEVEL) ?? openLog(config);
  logs.set(config.LOG_LEVEL, log);
  return log.child({});
}
