/**
 * Shares the database connections that move the bytes of files. They are separate from those of the commands, so that
 * messages do not wait for uploads and downloads. Each account has a share of them.
 */
import { personIdOf } from '../../shared/accounts.ts';
import type { Caller } from '../command.ts';
import type { App } from '../app.ts';
import type { Db } from '../database/database.ts';
import { customerOf } from '../http/address.ts';

type Sharer = Pick<Caller, 'user' | 'address'>;

/** An account with its bots, or all guests of one network, because a user can create many guests. */
export const sharerOf = ({ user, address }: Sharer): string =>
  user.kind === 'guest' ? customerOf(address) : personIdOf(user);

export const dbForFiles = (caller: Sharer & Pick<Caller, 'app'>): Db =>
  fileDb(caller.app, sharerOf(caller));

/** `sharer` is a key from `sharerOf`, a stranger's address, or a name for the node's own work. */
export const fileDb = ({ whole }: App, sharer: string): Db => ({
  ...whole.db,
  share: whole.fileShares.of(sharer),
});
