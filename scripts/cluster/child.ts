/** A child process that is restarted when it ends by itself. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Program {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

const restartDelayMs = 1_000;

/** How a process ended: the signal or code, and whether it had printed anything. */
export interface ProcessEnd {
  why: string;
  hadBegun: boolean;
}

export class Child {
  readonly #program: Program;
  readonly #log: (line: string) => void;
  #process: ChildProcess;
  #ending = false;
  /** The ends that `end` did not cause. */
  readonly endings: ProcessEnd[] = [];

  constructor(program: Program, log: (line: string) => void) {
    this.#program = program;
    this.#log = log;
    this.#process = this.#start();
  }

  /** Returns the first line that it prints. Rejects if it ends without one. */
  async greeting(): Promise<string> {
    const child = this.#process;
    const ended = once(child, 'close').then(() => {
      throw new Error(`${this.#program.name} didn’t start.`);
    });
    const said = new Promise<string>((resolve) => {
      let text = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const [line = '', ...more] = text.split('\n');
        if (more.length > 0) resolve(line);
      });
    });
    return Promise.race([said, ended]);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  async end(): Promise<void> {
    this.#ending = true;
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    // A stopped process cannot end.
    child.kill('SIGCONT');
    await once(child, 'close');
  }

  #start(): ChildProcess {
    const { name, command, args, env } = this.#program;
    const child = spawn(command, args, {
      // A process group of its own: Ctrl-C reaches only this process, which ends all in order.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.once('error', (error) => {
      this.#log(`${name}: ${error.message}`);
    });
    let hadBegun = false;
    child.stdout.once('data', () => (hadBegun = true));
    child.stdout.resume();
    child.once('close', (code, signal) => {
      if (this.#ending) return;
      const why = signal ?? `code ${code ?? 'unknown'}`;
      this.endings.push({ why, hadBegun });
      void this.#restart(why);
    });
    return child;
  }

  async #restart(why: string): Promise<void> {
    this.#log(`${this.#program.name} ended (${why}); restarting it.`);
    await sleep(restartDelayMs);
    if (!this.#ending) this.#process = this.#start();
  }
}
