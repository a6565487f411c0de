import { configureGlobal } from 'fast-check';
import { closeApps, isSite } from './app.ts';
import { closeBrowser, noteTest } from './browser.ts';
import { dropDatabases, stopDatabase } from './database.ts';
import { dropWindows } from './kept-windows.ts';
import { stopRedis } from './redis.ts';
import { lawSeed } from './seed.ts';

configureGlobal({ seed: lawSeed });

// Mocha would ignore these, but a node ends by one. So it fails the current test.
process.on('unhandledRejection', (reason) => {
  throw reason instanceof Error ? reason : new Error(String(reason));
});

export const mochaHooks = {
  beforeEach(this: Mocha.Context) {
    noteTest(this.currentTest);
  },
  /** Closes everything that tests left open and drops their databases, so that the next file is not disturbed. */
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
