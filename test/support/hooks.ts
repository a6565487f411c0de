import { stopDatabase } from './database.ts';
import { closeApps } from './app.ts';

export const mochaHooks = {
  /** Whatever a test left open is closed, so that none disturbs the next file's. */
  async afterAll() {
    await closeApps();
  },
};

export const mochaGlobalTeardown = async () => {
  await closeApps();
  await stopDatabase();
};
