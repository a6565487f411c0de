import { createServer } from 'node:net';
import { createApp, type Running } from './app.ts';
import { parseConfig, type Config } from './config.ts';
import { databaseProblem, openDatabase } from './database/open.ts';
import { openLog, type Logger } from './node/log.ts';
import { surviveRejections } from './node/rejections.ts';
import { pictureProblem } from './files/pictures.ts';
import { ownerInvite } from './invites/invites.ts';
import { problemsOf, StartupProblem } from './startup.ts';

async function main(): Promise<void> {
  const { config, warnings } = parseConfig(process.env);
  const log = openLog(config);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  await check(config);
  const starting = start(config, log);
  // Registered before the start is complete: a signal meanwhile would otherwise leave the embedded database running.
  endOn(['SIGTERM', 'SIGINT'], async () => (await starting).close());
  const problem = pictureProblem();
  process.stdout.write(`${(await starting).greeting}\n`);
  const found = await problem;
  if (found !== undefined) process.stderr.write(`${found}\n`);
}

async function start(config: Config, log: Logger) {
  const database = await openDatabase(config, log);
  try {
    const running = await createApp(config, log, database.where);
    surviveRejections(running.node);
    const close = async () => {
      await running.close();
      await database.stop();
    };
    return { greeting: await greeting(running), close };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Checks port and database before the start, so that all problems are reported together. @throws StartupProblem */
async function check(config: Config): Promise<void> {
  const found = await Promise.all([portProblem(config), databaseProblem(config)]);
  const problems = found.filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new StartupProblem(problems);
}

function portProblem({ PORT, HOST }: Config): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is taken by another program'
          : `can’t be used (${error.code})`;
      resolve(
        `PORT: ${PORT} on ${HOST} ${why}. Stop it, or choose another: PORT=${PORT + 1} npm start`,
      );
    });
    probe.listen(PORT, HOST, () => probe.close(() => resolve(undefined)));
  });
}

/** One line with the address; until the first server has an owner, with the link that creates the owner account. */
async function greeting({ node, url }: Running): Promise<string> {
  const address = node.config.PUBLIC_URL ?? url;
  const code = await ownerInvite(node.ownDb);
  return code === undefined
    ? `Parley is ready: ${address}`
    : `Parley is ready. Open this link to create the owner account: ${address}/join/${code}`;
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
  const lines = ['Parley didn’t start.', ...problemsOf(error).map((problem) => `  ${problem}`)];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(1);
}

main().catch(fail);
