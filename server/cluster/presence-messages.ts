import { z } from 'zod';
import { NodeStatus } from './presence-merge.ts';

/** What a node says to the others of its people, each word with its number. */
const Word = z.object({
  node: z.string(),
  seq: z.int(),
  /** All that this word changes. Without it: much has, read it. */
  people: z.record(z.string(), NodeStatus.nullable()).optional(),
  /** See who is still there. */
  look: z.boolean().optional(),
});
export type Word = z.infer<typeof Word>;

/** Undefined if it is none that this version knows. */
export function readWord(text: string): Word | undefined {
  try {
    return Word.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
