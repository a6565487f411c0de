/** One PostgreSQL and one Redis for all workers of a run. Each app has a database and a prefix of its own there. */
import { offerDatabase, stopDatabase } from './database.ts';
import { offerRedis, stopRedis } from './redis.ts';

export const mochaGlobalSetup = () => Promise.all([offerDatabase(), offerRedis()]);
export const mochaGlobalTeardown = () => Promise.all([stopDatabase(), stopRedis()]);
