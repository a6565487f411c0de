/**
 * `npm run admin -- bot …`, or `-- restored`: for whoever runs this Parley. It works on Parley's database, whether or not a node
 * is running: it is one itself for that moment, at an address that nobody is told.
 */
import { parseArgs } from 'node:util';
import { ChatError } from '../shared/failure.ts';
import { createApp } from './app.ts';
import { botTasks, type Task, type TaskOptions } from './bots/admin.ts';
import { readConfig, type Config } from './config.ts';
import { visitDatabase } from './database/open.ts';
import { openLog } from './log.ts';
import { restoredTask } from './restored.ts';
import { problemsOf, StartupProblem } from './startup.ts';

interface Asked {
  task: Task;
  words: string[];
  options: TaskOptions;
}

async function main(): Promise<void> {
  const { task, words, options } = readWords(process.argv.slice(2));
  const { config } = readConfig(process.env);
  const log = openLog(config);
  const database = await visitDatabase(config, log);
  const alone = { PORT: 0, HOST: '127.0.0.1', PARLEY_METRICS: undefined, PARLEY_DRAIN_SECONDS: 0 };
  try {
    const running = await createApp({ ...config, ...alone }, log, database.where);
    const { said, token } = await task
      .run(running.app, words, options)
      .finally(() => running.close());
    process.stdout.write(`${said}\n${token === undefined ? '' : tokenLines(config, token)}`);
  } finally {
    await database.stop();
  }
}

/** @throws StartupProblem saying what can be asked */
function readWords(args: string[]): Asked {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        owner: { type: 'string' },
        server: { type: 'string' },
        scope: { type: 'string', multiple: true },
        'end-sessions': { type: 'boolean' },
        'end-tokens': { type: 'boolean' },
      },
    });
    const [subject = '', verb = '', ...words] = positionals;
    const task =
      subject === 'bot'
        ? botTasks.get(verb)
        : positionals.join(' ') === 'restored'
          ? restoredTask
          : undefined;
    if (task?.words === words.length) return { task, words, options: values };
  } catch {
    // An option that there is not: what there is, says the usage.
  }
  const usages = [
    ...[...botTasks.values()].map(({ usage }) => `  npm run admin -- bot ${usage}`),
    `  npm run admin -- ${restoredTask.usage}`,
  ];
  throw new StartupProblem(['What can be asked:', ...usages]);
}

function tokenLines({ PUBLIC_URL, PORT }: Config, token: string): string {
  const url = PUBLIC_URL ?? `http://localhost:${PORT}`;
  return `Its token, which is not shown again:\n\n  PARLEY_URL=${url} PARLEY_TOKEN=${token}\n`;
}

main().catch((error: unknown) => {
  const lines = error instanceof ChatError ? [error.message] : problemsOf(error);
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = 1;
});
