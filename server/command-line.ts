/** The command line. Opens a node that does not listen, so that running nodes receive its changes. */
import { parseArgs } from 'node:util';
import { ChatError } from '../shared/failure.ts';
import { openNode } from './open-node.ts';
import { parseConfig, type Config } from './config.ts';
import { visitDatabase } from './database/open.ts';
import type { Logger } from './node/log.ts';
import { problemsOf, StartupProblem } from './startup.ts';
import { ownContext } from './caller.ts';
import { restoredTask } from './administration/restored.ts';
import type { Task, TaskOptions, TaskReport } from './administration/task.ts';
import { personTasks } from './administration/tasks.ts';
import { botTasks } from './bots/admin.ts';
import { fileTasks } from './files/tasks.ts';

/** Exit codes: 0, 2 for wrong usage, 3 for not found, 1 for other failures. `--json`: one line on stdout or stderr. */
export interface ProgramExit {
  code: number;
  stdout: string;
  stderr: string;
}

interface Asked {
  task: Task;
  words: string[];
  options: TaskOptions;
}

class UsageProblem extends StartupProblem {}

const subjects = new Map([
  ['person', personTasks],
  ['bot', botTasks],
  ['files', fileTasks],
]);

export async function runCommandLine(
  args: string[],
  env: NodeJS.ProcessEnv,
  openLog: (config: Config) => Logger,
): Promise<ProgramExit> {
  const isJson = args.includes('--json');
  try {
    const asked = readWords(args);
    const { config } = parseConfig(env);
    const report = await perform(asked, config, openLog(config));
    const text = isJson ? JSON.stringify(factsOf(config, report)) : textOf(config, report);
    return { code: 0, stdout: `${text}\n`, stderr: '' };
  } catch (error) {
    const stderr = `${isJson ? jsonOf(error) : linesOf(error).join('\n')}\n`;
    return { code: exitCodeOf(error), stdout: '', stderr };
  }
}

/** @throws UsageProblem with the list of tasks */
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
    // An unknown option. The usage lists the known ones.
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

async function perform({ task, words, options }: Asked, config: Config, log: Logger) {
  const database = await visitDatabase(config, log);
  try {
    const opened = await openNode(config, log, database.where);
    try {
      return await task.run(ownContext(opened.node), words, options);
    } finally {
      await opened.close();
    }
  } finally {
    await database.stop();
  }
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

const linesOf = (error: unknown) =>
  error instanceof ChatError ? [error.message] : problemsOf(error);

const jsonOf = (error: unknown) =>
  JSON.stringify({
    error: {
      code: error instanceof ChatError ? error.code : 'failed',
      message: linesOf(error).join('\n'),
    },
  });

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageProblem) return 2;
  return error instanceof ChatError && error.code === 'not_found' ? 3 : 1;
}
