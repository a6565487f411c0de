/**
 * `npm run admin -- person …`, `-- bot …`, or `-- restored`: for whoever runs this Parley. It works on Parley's database, whether
 * or not a node is running: it is one itself for that moment, at an address that nobody is told.
 *
 * It ends with 0 when it is done, with 2 when that cannot be asked, with 3 when there is no such person, and with 1 when
 * it failed or was refused. With `--json` one line says what came of it: on stdout, or on stderr what went wrong.
 */
import { parseArgs } from 'node:util';
import { ChatError } from '../shared/failure.ts';
import { personTasks } from './administration/tasks.ts';
import { createApp } from './app.ts';
import { botTasks } from './bots/admin.ts';
import { readConfig, type Config } from './config.ts';
import { visitDatabase } from './database/open.ts';
import { openLog } from './node/log.ts';
import { restoredTask } from './node/restored.ts';
import { problemsOf, StartupProblem } from './node/startup.ts';
import type { Task, TaskOptions, TaskReport } from './node/task.ts';

interface Asked {
  task: Task;
  words: string[];
  options: TaskOptions;
}

/** What was written is nothing that can be asked. */
class UsageProblem extends StartupProblem {}

const subjects = new Map([
  ['person', personTasks],
  ['bot', botTasks],
]);
const wantsJson = process.argv.includes('--json');

async function main(): Promise<void> {
  const { task, words, options } = readWords(process.argv.slice(2));
  const { config } = readConfig(process.env);
  const log = openLog(config);
  const database = await visitDatabase(config, log);
  const alone = { PORT: 0, HOST: '127.0.0.1', PARLEY_METRICS: undefined, PARLEY_DRAIN_SECONDS: 0 };
  try {
    const running = await createApp({ ...config, ...alone }, log, database.where);
    const told = await task.run(running.app, words, options).finally(() => running.close());
    process.stdout.write(
      `${wantsJson ? JSON.stringify(factsOf(config, told)) : textOf(config, told)}\n`,
    );
  } finally {
    await database.stop();
  }
}

/** @throws UsageProblem saying what can be asked */
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
        json: { type: 'boolean' },
      },
    });
    const [subject = '', verb = '', ...words] = positionals;
    const task =
      positionals.join(' ') === 'restored' ? restoredTask : subjects.get(subject)?.get(verb);
    if (task?.words === words.length) return { task, words, options: values };
  } catch {
    // An option that there is not: what there is, says the usage.
  }
  const usages = [...subjects].flatMap(([subject, tasks]) =>
    [...tasks.values()].map(({ usage }) => `  npm run admin -- ${subject} ${usage}`),
  );
  throw new UsageProblem([
    'Usage (add --json to any of them):',
    ...usages,
    `  npm run admin -- ${restoredTask.usage}`,
  ]);
}

const addressOf = ({ PUBLIC_URL, PORT }: Config) => PUBLIC_URL ?? `http://localhost:${PORT}`;

function textOf(config: Config, { said, token, link }: TaskReport): string {
  const url = addressOf(config);
  const lines = [said];
  if (token !== undefined)
    lines.push(
      `Its token, which won’t be shown again:\n\n  PARLEY_URL=${url} PARLEY_TOKEN=${token}`,
    );
  if (link !== undefined) lines.push(`\n  ${url}${link.path}`);
  return lines.join('\n');
}

function factsOf(config: Config, { said, token, link, facts }: TaskReport): object {
  const url = addressOf(config);
  return {
    said,
    ...facts,
    ...(token !== undefined && { url, token }),
    ...(link && { url: url + link.path, expiresAt: link.expiresAt }),
  };
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageProblem) return 2;
  return error instanceof ChatError && error.code === 'not_found' ? 3 : 1;
}

main().catch((error: unknown) => {
  const lines = error instanceof ChatError ? [error.message] : problemsOf(error);
  const code = error instanceof ChatError ? error.code : 'failed';
  const text = wantsJson
    ? JSON.stringify({ error: { code, message: lines.join('\n') } })
    : lines.join('\n');
  process.stderr.write(`${text}\n`);
  process.exitCode = exitCodeOf(error);
});
