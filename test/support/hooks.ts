import { configureGlobal } from 'fast-check';
import { closeApps, isSite } from './app.ts';
import { closeBrowser, noteTest } from './browser.ts';
import { dropDatabases, stopDatabase } from './database.ts';
import { dropWindows } from './kept-windows.ts';
import { stopRedis } from './redis.ts';
import { lawSeed } from './seed.ts';

configureGlobal({ seed: lawSeed });

// Mocha would let these pass; a node ends by one. So it fails the test that it falls into.
process.on('unhandledRejection', (reason) => {
  throw reason instanceof Error ? reason : new Error(String(reason));
});

export const mochaHooks = {
  beforeEach(this: Mocha.Context) {
    noteTest(this.currentTest);
  },
  /** Whatever a test left open is closed, and its databases go, so that none disturbs the next file's. */
  async afterAll() {
    await dropWindows((origin) => !isSite(origin));
    await closeApps();
    await dropDatabases();
  },
};

export const mochaGlobalTeardown = async () => {
  await closeBrowser();
  await closeApps();
  await stopRedis();
  await stopDatabase();
};
