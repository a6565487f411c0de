/**
 * Who shares what there is for the bytes of files. They have connections to the database of their own, so that what
 * people write and read does not wait for them, and each account has a share of those.
 */
import { personIdOf } from '../../shared/accounts.ts';
import type { Caller } from '../command.ts';
import type { App } from '../app.ts';
import type { Db } from '../database/database.ts';
import { networksOf } from '../http/address.ts';

type Sharer = Pick<Caller, 'user' | 'address'>;

/** An account with its bots, or all guests of one network: guests are free to make. */
export const sharerOf = ({ user, address }: Sharer): string =>
  (user.kind === 'guest' ? networksOf(address).at(-1)?.name : undefined) ?? personIdOf(user);

export const dbForFiles = (caller: Sharer & Pick<Caller, 'app'>): Db =>
  fileDb(caller.app, sharerOf(caller));

/** For a stranger’s address, or the node’s own work. */
export const fileDb = ({ whole }: App, sharer: string): Db => ({
  ...whole.db,
  share: whole.fileShares.of(sharer),
});
