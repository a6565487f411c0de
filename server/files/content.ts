/** Where the bytes of files are. Whatever keeps them, a file's row says how many there are. */
import type { Db } from '../database/database.ts';

export interface FileContent {
  /** Keeps bytes at this place, in the transaction that counts them. */
  write(db: Db, fileId: string, at: number, bytes: Uint8Array): Promise<void>;
  /** From `start` up to `end`, in pieces of no more than a few chunks. */
  read(db: Db, fileId: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Removes all, or all from a place on. */
  remove(db: Db, fileId: string): Promise<void>;
}
