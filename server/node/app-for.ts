/** The node as somebody may use it: what they ask the database goes through their share of the connections. */
import type { Account } from '../../shared/accounts.ts';
import type { App } from '../app.ts';
import type { Share } from '../database/shares.ts';

/** A person's bots have that person's share: with every bot one would have another. */
export const appForAccount = ({ whole }: App, { id, ownerId = id }: Account): App =>
  appWith(whole, whole.shares.of(ownerId));

/** All whom nobody knows yet have one share together. */
export const appForStrangers = ({ whole }: App): App => appWith(whole, whole.shares.strangers);

const appWith = (whole: App, share: Share): App =>
  Object.assign(Object.create(whole) as App, { db: { ...whole.db, share } });
