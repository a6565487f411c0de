import type { Account } from '../shared/accounts.ts';
import type { Room } from '../shared/rooms.ts';
import type { Context, Node } from './caller.ts';
import type { RoomTransaction } from './commit.ts';
import type { Db } from './database/database.ts';
import { perNode } from './node/per-node.ts';

/** People who leave a server. */
export interface Left {
  serverId: string;
  userIds: string[];
}

/** What a feature erases when something ends. `features.ts` lists the endings of all features in order. */
export interface Ending {
  /** People leave a server, are removed from it, or it is deleted. */
  membership?: {
    /** The rooms that are told, to be locked before. Those of the server and of the people are locked already. */
    rooms: (db: Db, left: Left) => Promise<Room[]>;
    end: (
      work: RoomTransaction,
      left: Left & { as: 'left' | 'removed' | 'deleted' },
    ) => Promise<void>;
  };
  /** A server is deleted. */
  server?: {
    rooms?: (db: Db, serverId: string) => Promise<Room[]>;
    end: (work: RoomTransaction, serverId: string) => Promise<void>;
  };
  /** A former guest leaves all that they are in, in a few short transactions. What fails is done again later. */
  account?: (context: Context, account: Account) => Promise<void>;
}

/** Set when the node is opened. */
export const endingsOn = perNode((_node: Node): readonly Ending[] => {
  throw new Error('endingsOn is not set');
});
