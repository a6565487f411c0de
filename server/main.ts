/** Starts one node: reads the configuration, opens the stores, listens, and closes in order. */
import { createApp, type Running } from './app.ts';
import { readConfig, type Config } from './config.ts';
import type { Connection } from './database/database.ts';
import { startEmbedded } from './database/embedded.ts';
import { openLog, type Logger } from './log.ts';
import { ownerInvite } from './servers/lobby.ts';
import { StartupProblem } from './startup.ts';

async function main(): Promise<void> {
  const { config, warnings } = readConfig(process.env);
  const log = openLog(config);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  const database = await openDatabase(config, log);
  const running = await createApp(config, log, database.where).catch(async (error: unknown) => {
    await database.stop();
    throw error;
  });
  endOn(['SIGTERM', 'SIGINT'], async () => {
    await running.close();
    await database.stop();
  });
  process.stdout.write(`${await greeting(running)}\n`);
}

interface OpenDatabase {
  where: string | Connection;
  stop(): Promise<void>;
}

async function openDatabase({ DATABASE_URL, PARLEY_DATA }: Config, log: Logger): Promise<OpenDatabase> {
  if (DATABASE_URL !== undefined) return { where: DATABASE_URL, stop: async () => undefined };
  const embedded = await startEmbedded(PARLEY_DATA, (line) => log.info(line));
  return { where: embedded.connection, stop: () => embedded.stop() };
}

/** One line with the address; until somebody owns the place, the address that makes them its owner. */
async function greeting({ app, url }: Running): Promise<string> {
  const address = app.config.PUBLIC_URL ?? url;
  const code = await ownerInvite(app.db);
  return code === undefined
    ? `Parley is ready: ${address}`
    : `Parley is ready: ${address}/join/${code} (whoever registers there first owns it)`;
}

function endOn(signals: NodeJS.Signals[], close: () => Promise<void>): void {
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    close().then(() => process.exit(0), fail);
  };
  for (const signal of signals) process.on(signal, end);
}

function fail(error: unknown): never {
  const problems =
    error instanceof StartupProblem ? error.problems : [error instanceof Error ? error.message : String(error)];
  process.stderr.write(['Parley did not start.', ...problems.map((line) => `  ${line}`), ''].join('\n'));
  process.exit(1);
}

main().catch(fail);
