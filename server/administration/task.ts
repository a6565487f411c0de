/** What can be asked of Parley's command line: each task is one line of its usage. */
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
  /** How many it takes besides options. */
  words: number;
  /** @throws ChatError */
  run: (context: Context, words: string[], options: TaskOptions) => Promise<TaskReport>;
}

/** What to print. */
export interface TaskReport {
  said: string;
  /** A bot's. */
  token?: string;
  /** A path and what it is good for, told with the address that Parley has. */
  link?: { path: string; expiresAt: string };
  /** What a program wants to know of it, for --json. */
  facts?: object;
}
