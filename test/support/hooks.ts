import { closeApps } from './app.ts';
import { closeBrowser } from './browser.ts';
import { stopDatabase } from './database.ts';

export const mochaHooks = {
  /** Whatever a test left open is closed, so that none disturbs the next file's. */
  async afterAll() {
    await closeApps();
  },
};

export const mochaGlobalTeardown = async () => {
  await closeBrowser();
  await closeApps();
  await stopDatabase();
};
