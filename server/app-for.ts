/** The node as somebody may use it: what they ask the database goes through their share of the connections. */
import type { App } from './app.ts';
import type { Share } from './database/shares.ts';

export const appForAccount = ({ whole }: App, userId: string): App =>
  appWith(whole, whole.shares.of(userId));

/** All whom nobody knows yet have one share together. */
export const appForStrangers = ({ whole }: App): App => appWith(whole, whole.shares.strangers);

const appWith = (whole: App, share: Share): App =>
  Object.assign(Object.create(whole) as App, { db: { ...whole.db, share } });
