/** Unsent files and replies, saved in IndexedDB. Deleted on sign-out (saved.ts). */
import type { DBSchema } from 'idb';
import { database } from './database.ts';

/** A reply written in a notification, until it is sent. */
export interface WrittenReply {
  userId: string;
  timelineId: string;
  body: string;
  writtenAt: number;
}

interface Schema extends DBSchema {
  /** Files by id. */
  blobs: { key: string; value: Blob };
  /** Replies by message id. */
  replies: { key: string; value: WrittenReply };
}

export const unsent = database<Schema>('parley', 'blobs', 'replies');

/** Age after which entries are deleted, in milliseconds. */
const lifetimeMs = 30 * 24 * 60 * 60 * 1_000;

/** The keys of entries that are too old. Ids are version 7 UUIDs, which begin with the time. */
export function expired(): IDBKeyRange {
  const hex = (Date.now() - lifetimeMs).toString(16).padStart(12, '0');
  return IDBKeyRange.upperBound(`${hex.slice(0, 8)}-${hex.slice(8)}`);
}
