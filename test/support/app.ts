/** A whole node on port 0 with a database of its own, and people to use it. */
import { createApp, type App } from '../../server/app.ts';
import type { LeaseTiming } from '../../server/cluster/leases.ts';
import { readConfig, type Config } from '../../server/config.ts';
import type { DatabaseAddress } from '../../server/database/database.ts';
import { ownerInvite } from '../../server/servers/lobby.ts';
import { MovableClock } from './clock.ts';
import { freshDatabase } from './database.ts';
import { logFor } from './log.ts';
import { enterAs, type Person } from './person.ts';

export interface TestApp {
  app: App;
  config: Config;
  url: string;
  where: DatabaseAddress;
  /** So many milliseconds pass at once for the node: what it does by itself by then, it begins now. */
  pass(ms: number): void;
  /** From now on the node does nothing by itself but what `pass` lets come: for tests that count its work. */
  hold(): void;
  /** A registered person, signed in and connected. */
  person(name?: string): Promise<Person>;
  guest(name?: string): Promise<Person>;
  /** Who owns Lobby and administers the instance. */
  owner(): Promise<Person>;
  close(): Promise<void>;
}

const open = new Set<TestApp>();
let people = 0;

/** Limits wide open and cheap hashing, unless a test is about those. */
const forTests = {
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'fatal',
  PARLEY_RATE_SCALE: '100000',
  PARLEY_PASSWORD_COST: '4',
};

export async function startApp(
  overrides: Record<string, string> = {},
  where?: DatabaseAddress,
  rhythm?: LeaseTiming,
): Promise<TestApp> {
  const database = where ?? (await freshDatabase());
  const { config } = readConfig({ ...forTests, ...overrides });
  const clock = new MovableClock();
  const running = await createApp(config, logFor(config), database, rhythm, clock);
  const url = running.url.replace('localhost', '127.0.0.1');
  const unique = () => `p${(people += 1).toString(36)}`;
  const test: TestApp = {
    app: running.app,
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
      const invite = await ownerInvite(running.app.db);
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

export async function closeApps(): Promise<void> {
  for (const app of [...open]) await app.close();
}
