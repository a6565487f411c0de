/**
 * Shares the database connections that move the bytes of files. They are separate from those of the commands, so that
 * messages do not wait for uploads and downloads. Each account has a share of them. Each piece of a file waits for its
 * account's turn. While the machine is under pressure, heavy users pause between pieces, so that a few large downloads
 * do not take the processors from messages.
 */
import { personIdOf } from '../../shared/accounts.ts';
import type { Db } from '../database/database.ts';
import { bounds, openShares, Share } from '../database/shares.ts';
import { customerOf } from '../http/address.ts';
import { openFairQueue, openUsage } from '../admission/fair-queue.ts';
import type { Caller, Node } from '../caller.ts';
import { openDownloads, openUploads, type TransferQueues } from '../admission/transfer-queues.ts';
import { perNode } from '../node/per-node.ts';

interface FileShares {
  /** For work in pieces: each statement waits for the sharer's turn. */
  inTurns(sharer: string): Share;
  /** For work that is limited in another way. */
  atOnce(sharer: string): Share;
}

export function openFileShares(isPressed: () => boolean): FileShares {
  const turns = openFairQueue(
    { usage: openUsage(), isPressed },
    { free: bounds.files.accounts, pressed: 1, rest: 4 },
  );
  const shares = openShares(bounds.files);
  // Takes the share first: it bounds how many wait for a turn, and how long the others wait for the share.
  const enter = async (sharer: string, share: Share) => {
    const release = await share.enter();
    const leave = await turns.enter(sharer).catch((error: unknown) => {
      release();
      throw error;
    });
    return () => {
      leave();
      release();
    };
  };
  return {
    inTurns(sharer) {
      const share = shares.of(sharer);
      return new Share(() => enter(sharer, share), share.isBusy);
    },
    atOnce: (sharer) => shares.of(sharer),
  };
}

const fileSharesOn = perNode(({ isPressed }: Node) => openFileShares(isPressed));

/** The queues in which uploads and downloads wait, by account. */
export const uploadsOn = perNode<Node, TransferQueues>(openUploads);
export const downloadsOn = perNode<Node, TransferQueues>(openDownloads);

type Sharer = Pick<Caller, 'user' | 'address'>;

/** An account with its bots, or all guests of one network, because a user can create many guests. */
export const sharerOf = ({ user, address }: Sharer): string =>
  user.kind === 'guest' ? customerOf(address) : personIdOf(user);

export const dbForFiles = (caller: Sharer & Pick<Caller, 'node'>): Db =>
  fileDb(caller.node, sharerOf(caller));

/** `sharer` is a key from `sharerOf`, a stranger's address, or a name for the node's own work. */
export const fileDb = (node: Node, sharer: string): Db => ({
  ...node.ownDb,
  share: fileSharesOn(node).inTurns(sharer),
});

/** For pictures: few are encoded at a time, and a started one must be read before its process times out. */
export const dbForPictures = (caller: Sharer & Pick<Caller, 'node'>): Db => ({
  ...caller.node.ownDb,
  share: fileSharesOn(caller.node).atOnce(sharerOf(caller)),
});
