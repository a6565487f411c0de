/** The user that PostgreSQL runs as. PostgreSQL refuses to run as root. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);

export interface Runner {
  name: string;
  /** The user to spawn as; undefined means Node's own. */
  uid?: number;
  gid?: number;
  prefix: string[];
}

export const oneself: Runner = { name: 'this user', prefix: [] };

/** In a user namespace: Node’s own user and its files appear as `nobody`; other users’ files are out of reach. */
export const mapped: Runner = {
  name: 'nobody in a user namespace',
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
};

/** For root: runs as `nobody`, which must be able to reach binaries and data. */
export async function runnerAsNobody(): Promise<Runner> {
  const id = async (flag: string) => {
    const { stdout } = await exec('id', [flag, 'nobody']);
    // macOS prints 4294967294 where Node expects -2.
    return Number(stdout) | 0;
  };
  return { name: 'nobody', uid: await id('-u'), gid: await id('-g'), prefix: [] };
}

const options = ({ uid, gid }: Runner) => ({
  // The user can lack access to Node’s working directory.
  cwd: '/',
  // No PG* variables from a shell, and no locale that changes the output.
  env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
  ...(uid === undefined ? {} : { uid }),
  ...(gid === undefined ? {} : { gid }),
});

const command = ({ prefix }: Runner, program: string, args: string[]): [string, string[]] => {
  const [first = program, ...rest] = [...prefix, program, ...args];
  return [first, rest];
};

/** Runs a program to its end and returns its output. Rejects with its stderr. */
export async function runProgram(runner: Runner, program: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await exec(...command(runner, program, args), options(runner));
    return stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(stderr.trim() === '' ? message : stderr.trim(), { cause: error });
  }
}

/** Starts a detached process: Ctrl-C does not reach it, and Node can end first. Its output goes to the open file. */
export function launch(
  runner: Runner,
  program: string,
  args: string[],
  output: number,
): ChildProcess {
  const child = spawn(...command(runner, program, args), {
    ...options(runner),
    detached: true,
    stdio: ['ignore', output, output],
  });
  child.unref();
  return child;
}
