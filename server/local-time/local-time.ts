/** People’s local time. Others get the offset from UTC, not the time zone, which names a place. */
import type { Parsed } from '../../shared/protocol.ts';
import { canSee } from '../people/visibility.ts';
import { blockedPairs } from '../blocks/access.ts';
import type { Caller } from '../caller.ts';
import { findTimeZone, updateLocalTime } from './store.ts';

export const setLocalTime = (
  { db, user }: Caller,
  { timeZone, shared }: Parsed<'localTime:set'>,
): Promise<boolean> => updateLocalTime(db, user.id, { timeZone, shared });

/** The current offset in minutes. Null without access, as for an unknown user. */
export async function utcOffsetOf(caller: Caller, userId: string): Promise<number | null> {
  if (!(await canKnow(caller, userId))) return null;
  const timeZone = await findTimeZone(caller.db, userId);
  return timeZone === null ? null : utcOffsetIn(timeZone, new Date());
}

async function canKnow({ db, user }: Caller, userId: string) {
  if (userId === user.id) return true;
  const isApart = await blockedPairs(db, [[user.id, userId]]);
  return !isApart(user.id, userId) && (await canSee(db, user.id, userId));
}

/** `GMT+05:30` → 330; `GMT` is 0. */
export function utcOffsetIn(timeZone: string, at: Date): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(name) ?? [];
  const ahead = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -ahead : ahead;
}
