import { z } from 'zod';
import { NodeStatus } from './presence-merge.ts';

const PresenceMessage = z.object({
  node: z.string(),
  seq: z.int(),
  /** The statuses that change; null removes one. Absent when many changed: then the node has to be read. */
  people: z.record(z.string(), NodeStatus.nullable()).optional(),
  /** Asks the others to check which nodes are alive. */
  look: z.boolean().optional(),
});
export type PresenceMessage = z.infer<typeof PresenceMessage>;

/** Returns undefined for messages that this version does not know. */
export function parsePresenceMessage(text: string): PresenceMessage | undefined {
  try {
    return PresenceMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
