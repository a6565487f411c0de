/** As whom PostgreSQL runs. It refuses root. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);

export interface Runner {
  name: string;
  /** Spawned as this user; undefined: as the one that runs Node. */
  uid?: number;
  gid?: number;
  /** What stands before the program. */
  prefix: string[];
}

export const oneself: Runner = { name: 'this user', prefix: [] };

/** As oneself, but called nobody: in a user namespace where one's own files are nobody's, and no others can be reached. */
export const mapped: Runner = {
  name: 'nobody in a user namespace',
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
};

/** For root: as `nobody`, who must be able to reach binaries and data. */
export async function nobody(): Promise<Runner> {
  const id = async (flag: string) => {
    const { stdout } = await exec('id', [flag, 'nobody']);
    // macOS says 4294967294 where Node wants -2.
    return Number(stdout) | 0;
  };
  return { name: 'nobody', uid: await id('-u'), gid: await id('-g'), prefix: [] };
}

const options = ({ uid, gid }: Runner) => ({
  // Whoever it runs as may not be allowed to stand where Node does.
  cwd: '/',
  // No PG* variable of somebody's shell, and no language that changes what is printed.
  env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
  ...(uid === undefined ? {} : { uid }),
  ...(gid === undefined ? {} : { gid }),
});

const command = ({ prefix }: Runner, program: string, args: string[]): [string, string[]] => {
  const [first = program, ...rest] = [...prefix, program, ...args];
  return [first, rest];
};

/** Runs to the end. Rejects with what was printed. */
export async function run(runner: Runner, program: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await exec(...command(runner, program, args), options(runner));
    return stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(stderr.trim() === '' ? message : stderr.trim(), { cause: error });
  }
}

/** Starts and lets go: Ctrl-C reaches Node alone, and Node may end first. Output goes to the open file. */
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
