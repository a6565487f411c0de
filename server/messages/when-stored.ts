import type { Node } from '../caller.ts';
import type { Db } from '../database/database.ts';
import { perNode } from '../node/per-node.ts';

/** Runs for another feature, in the transaction that stores new messages. */
export type WhenStored = (db: Db, added: readonly { id: string }[]) => Promise<void>;

export const whenStoredOn = perNode((_node: Node): WhenStored[] => []);
