import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Logger } from '../node/log.ts';
import { StartupProblem } from '../startup.ts';
import { startEmbedded, attachEmbedded } from './embedded.ts';
import { reach, type DatabaseAddress } from './connect.ts';

export interface OpenDatabase {
  where: string | DatabaseAddress;
  stop(): Promise<void>;
}

/** For a node: the embedded PostgreSQL runs until `stop`. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  const { DATABASE_URL, PARLEY_DATA } = config;
  if (DATABASE_URL !== undefined) return elsewhere(DATABASE_URL);
  const embedded = await startEmbedded(PARLEY_DATA, (line) => log.info(line));
  return { where: embedded.connection, stop: () => embedded.stop() };
}

/** For a short task, with or without a running node. @throws StartupProblem if there is no database, or no answer */
export async function visitDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  const { DATABASE_URL, PARLEY_DATA } = config;
  const problem = await databaseProblem(config);
  if (problem !== undefined) throw new StartupProblem(problem);
  if (DATABASE_URL !== undefined) return elsewhere(DATABASE_URL);
  if (!existsSync(join(PARLEY_DATA, 'postgres')))
    throw new StartupProblem(
      `There’s no Parley database in ${PARLEY_DATA}. Start Parley first, or set PARLEY_DATA or DATABASE_URL to the location of its database.`,
    );
  const embedded = await attachEmbedded(PARLEY_DATA, (line) => log.info(line));
  return { where: embedded.connection, stop: () => embedded.stop() };
}

export async function databaseProblem({ DATABASE_URL }: Config): Promise<string | undefined> {
  const reason = DATABASE_URL === undefined ? undefined : await reach(DATABASE_URL);
  if (reason === undefined) return undefined;
  return `DATABASE_URL: the PostgreSQL at this address can’t be used (${reason}). Start it, or correct the address.`;
}

const elsewhere = (where: string): OpenDatabase => ({ where, stop: () => Promise.resolve() });
