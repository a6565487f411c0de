/** A task of Parley's command line: one line of its usage text. */
import type { Context } from '../caller.ts';

export interface TaskOptions {
  owner?: string | undefined;
  server?: string | undefined;
  scope?: string[] | undefined;
  'end-sessions'?: boolean | undefined;
  'end-tokens'?: boolean | undefined;
}

export interface Task {
  usage: string;
  /** The number of arguments, besides options. */
  words: number;
  /** @throws ChatError */
  run: (context: Context, words: string[], options: TaskOptions) => Promise<TaskReport>;
}

export interface TaskReport {
  said: string;
  token?: string;
  /** A path, printed after Parley's address, and the time until which it works. */
  link?: { path: string; expiresAt: string };
  /** Data for programs, printed with --json. */
  facts?: object;
}
