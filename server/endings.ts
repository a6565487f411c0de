import type { Account } from '../shared/accounts.ts';
import type { Room } from '../shared/rooms.ts';
import type { Context, Node } from './caller.ts';
import type { RoomTransaction } from './commit.ts';
import type { Db } from './database/database.ts';
import { perNode } from './node/per-node.ts';

export interface Left {
  serverId: string;
  userIds: string[];
}

/** The functions of a feature that erase its data when something ends. `features.ts` lists all of them in order. */
export interface Ending {
  /** Runs after a change of role. The member’s own room is locked. */
  role?: (work: RoomTransaction, member: { serverId: string; userId: string }) => Promise<void>;
  membership?: {
    /** The rooms to lock because they get changes, besides those of the server and of the people. */
    rooms: (db: Db, left: Left) => Promise<Room[]>;
    end: (
      work: RoomTransaction,
      left: Left & { as: 'left' | 'removed' | 'deleted' },
    ) => Promise<void>;
  };
  server?: {
    rooms?: (db: Db, serverId: string) => Promise<Room[]>;
    end: (work: RoomTransaction, serverId: string) => Promise<void>;
  };
  /** A former guest leaves everything that they are in, in a few short transactions. A failed one is repeated later. */
  account?: (context: Context, account: Account) => Promise<void>;
}

export const endingsOn = perNode((_node: Node): readonly Ending[] => {
  throw new Error('endingsOn was read before the node opened');
});
