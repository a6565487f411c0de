/** Tasks in a server: open reports of messages, and requests to join. */
import { z } from 'zod';
import { Id, Version } from './contract.ts';

/** The numbers of open tasks that a person can answer in a server. In their own room; absent if both are 0. */
export const TaskCount = z.strictObject({
  serverId: Id,
  /** Reports, with `manage messages`. */
  reports: z.int().min(0),
  /** Requests to join, with `manage members`. */
  requests: z.int().min(0),
  version: Version,
});
export type TaskCount = z.infer<typeof TaskCount>;
