/**
 * Shares the database connections for the bytes of files. They are separate, so that messages do not wait for uploads
 * and downloads. Each piece of a file waits for its account's turn. Under pressure, heavy users pause between pieces,
 * so that a few large downloads do not take the processors from messages.
 */
import { personIdOf } from '../../shared/accounts.ts';
import type { Db } from '../database/database.ts';
import { bounds, openShares, Share } from '../database/shares.ts';
import { customerOf } from '../http/address.ts';
import { FairQueue, newUsage } from '../admission/fair-queue.ts';
import type { Caller, Node } from '../caller.ts';
import { Lanes } from '../admission/lanes.ts';
import { perNode } from '../node/per-node.ts';

interface FileShares {
  /** For work in pieces: each statement waits for the sharer's turn. */
  inTurns(sharer: string): Share;
  /** For work that is limited in another way. */
  atOnce(sharer: string): Share;
}

export function openFileShares(isPressed: () => boolean): FileShares {
  const turns = new FairQueue(
    { usage: newUsage(), isPressed },
    { free: bounds.files.accounts, pressed: 1, rest: 4 },
  );
  const shares = openShares(bounds.files);
  // Takes the share before the turn: shares bound how many statements wait for a turn, and how long the others wait.
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

const refusal: [string, number] = [
  'That’s too many files at the same time. Try again in a moment.',
  500,
];
/** Chunks of a file come one after the other; two megabytes can wait. */
const uploadsOn = perNode((_node: Node) => new Lanes({ atOnce: 1, asked: 32, refusal }));
/** Browsers ask for six at a time. Further requests of a page full of pictures wait. */
const downloadsOn = perNode((_node: Node) => new Lanes({ atOnce: 6, asked: 200, refusal }));

/** Attack: a guest sends hundreds of chunks at once. Test: moved-files.test.ts. @throws ChatError busy */
export const runUpload = <T>(
  { node, user }: Pick<Caller, 'node' | 'user'>,
  fileId: string,
  work: () => Promise<T>,
): Promise<T> =>
  // The lane has the user's id, so that nobody delays another user's file by guessing its id.
  uploadsOn(node).admit(user.id, () => uploadsOn(node).wait(`${user.id},${fileId}`, work));

/** Attack: a guest requests hundreds of files and reads none. Test: moved-files.test.ts. @throws ChatError busy */
export const runDownload = <T>(node: Node, reader: string, work: () => Promise<T>): Promise<T> =>
  downloadsOn(node).admit(reader, () => downloadsOn(node).wait(reader, work));

type ShareCaller = Pick<Caller, 'user' | 'address'>;

/** An account with its bots, or all guests of one network, because a user can create many guests. */
export const shareKeyOf = ({ user, address }: ShareCaller): string =>
  user.kind === 'guest' ? customerOf(address) : personIdOf(user);

export const dbForFiles = (caller: ShareCaller & Pick<Caller, 'node'>): Db =>
  fileDb(caller.node, shareKeyOf(caller));

/** `sharer` is a key from `shareKeyOf`, a stranger's address, or a name for the node's own work. */
export const fileDb = (node: Node, sharer: string): Db => ({
  ...node.ownDb,
  share: fileSharesOn(node).inTurns(sharer),
});

/** For pictures: few are encoded at a time, and a started one must be read before its process times out. */
export const dbForPictures = (caller: ShareCaller & Pick<Caller, 'node'>): Db => ({
  ...caller.node.ownDb,
  share: fileSharesOn(caller.node).atOnce(shareKeyOf(caller)),
});
