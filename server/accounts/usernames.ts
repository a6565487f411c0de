import { randomInt } from 'node:crypto';
import { ChatError } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Db } from '../database/database.ts';
import { takenAmong } from './store.ts';

/** @throws ChatError conflict, with two free usernames */
export async function requireFree(db: Db, username: string): Promise<void> {
  const taken = await whyTaken(db, username);
  if (taken !== undefined) throw conflictOver(taken);
}

/** Returns a message with two free usernames, or undefined if this one is free. */
export async function whyTaken(db: Db, username: string): Promise<string | undefined> {
  if ((await takenAmong(db, [username])).size === 0) return undefined;
  return `${isTaken(username)} Try ${(await freeLike(db, username)).join(' or ')}.`;
}

export const nameTaken = (username: string) => conflictOver(isTaken(username));

const isTaken = (username: string) => `“${username}” is taken.`;
const conflictOver = (taken: string) => new ChatError('conflict', taken, { field: 'username' });

async function freeLike(db: Db, username: string): Promise<string[]> {
  const stem = username.slice(0, limits.username - 4);
  const some = Array.from({ length: 4 }, () => `${stem}${randomInt(100, 1_000)}`);
  const wanted = [2, 3, 4, 5].map((count) => `${stem}${count}`).concat(some);
  const taken = await takenAmong(db, wanted);
  return wanted.filter((one) => !taken.has(one)).slice(0, 2);
}
