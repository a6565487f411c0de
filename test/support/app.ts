/** A whole node on port 0 with a database of its own, and people to use it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../server/app.ts';
import { ownContext, type Context } from '../../server/caller.ts';
import type { LeaseTiming } from '../../server/cluster/leases.ts';
import { parseConfig, type Config } from '../../server/config.ts';
import { pictureProgram } from '../../server/files/pictures.ts';
import { freePort } from '../../scripts/cluster/place.ts';
import { ownerInvite } from '../../server/invites/invites.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { MovableClock } from './clock.ts';
import { freshDatabase } from './database.ts';
import { logFor } from './log.ts';
import { enterAs, type Person } from './person.ts';
import { forTests } from './settings.ts';

export interface TestApp extends Context {
  config: Config;
  url: string;
  where: DatabaseAddress;
  /** Lets this many milliseconds pass at once, and runs the timers that are due by then. */
  pass(ms: number): void;
  /** Holds the clock: the node's timers run only by `pass`, for tests that count its work. */
  hold(): void;
  /** A registered person, signed in and connected. */
  person(name?: string): Promise<Person>;
  guest(name?: string): Promise<Person>;
  /** The owner of Lobby, who administers the instance. */
  owner(): Promise<Person>;
  close(): Promise<void>;
}

const open = new Set<TestApp>();
let people = 0;

const builtPictures = fileURLToPath(
  new URL('../../dist/server/files/picture-process.js', import.meta.url),
);
// Each picture has a process, which starts from the build in half the time of the source.
if (existsSync(builtPictures)) Object.assign(pictureProgram, { file: builtPictures, flags: [] });

export async function startApp(
  overrides: Record<string, string> = {},
  where?: DatabaseAddress,
  timing?: LeaseTiming,
): Promise<TestApp> {
  const database = where ?? (await freshDatabase());
  const { config } = parseConfig({ ...forTests, ...overrides });
  const { DATABASE_URL = database } = config;
  const clock = new MovableClock();
  const running = await createApp(config, logFor(config), DATABASE_URL, timing, clock);
  const url = running.url.replace('localhost', '127.0.0.1');
  const unique = () => `p${(people += 1).toString(36)}`;
  const test: TestApp = {
    ...ownContext(running.node),
    pass: (ms) => clock.pass(ms),
    hold: () => clock.hold(),
    config,
    url,
    where: database,
    person: (name) => {
      const username = unique();
      return enterAs(url, 'register', {
        username,
        password: `the password of ${username}`,
        displayName: name ?? username,
      });
    },
    guest: (name) => enterAs(url, 'guest', { displayName: name ?? unique() }),
    async owner() {
      const username = unique();
      const invite = await ownerInvite(running.node.ownDb);
      return enterAs(url, 'register', {
        username,
        password: `the password of ${username}`,
        invite,
      });
    },
    async close() {
      if (!open.delete(test)) return;
      await running.close();
    },
  };
  open.add(test);
  return test;
}

/**
 * Its node waits longer than two seconds for a lock, for tests that hold one: on a slow machine this takes a while. It
 * gives up the connection after twelve seconds of silence.
 */
export async function startPatientApp(overrides: Record<string, string> = {}): Promise<TestApp> {
  const where = await freshDatabase();
  const { host, database, user } = where;
  const how = new URLSearchParams({ host, lock_timeout: '60000', statement_timeout: '60000' });
  const DATABASE_URL = `postgres://${user}@localhost/${database}?${how}`;
  return startApp({ ...overrides, DATABASE_URL }, where);
}

/** Port of this process's nodes for browsers, which use it one after the other. */
const site = { port: undefined as Promise<number> | undefined, isTaken: false };
let siteOrigin: string | undefined;

/** Starts a node for a browser, at the same address if free, so that the next file reuses a window at half the cost. */
export async function startSite(
  overrides: Record<string, string> = {},
  where?: DatabaseAddress,
): Promise<TestApp> {
  if (site.isTaken) return startApp(overrides, where);
  site.isTaken = true;
  const port = await (site.port ??= freePort());
  const app = await startApp({ PORT: String(port), ...overrides }, where);
  siteOrigin = app.url;
  const close = app.close.bind(app);
  return Object.assign(app, {
    async close() {
      await close();
      site.isTaken = false;
    },
  });
}

/** True when another node may still start at this origin. */
export const isSite = (origin: string): boolean => origin === siteOrigin;

/** Starts a node with ordinary limits and a held clock, so that no rate window ends while a slow machine uses it up. */
export async function startStrictApp(overrides: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp({ PARLEY_RATE_SCALE: '1', ...overrides });
  app.hold();
  return app;
}

export async function closeApps(): Promise<void> {
  for (const app of [...open]) await app.close();
}
