import { send } from '../session/socket.ts';

export const timeZoneHere = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const sharesTime = async (): Promise<boolean> => (await send('localTime:set', {})).shared;

export const shareTime = async (shared: boolean): Promise<boolean> =>
  (await send('localTime:set', { shared, ...(shared && { timeZone: timeZoneHere() }) })).shared;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: 'UTC' });

/** The time at an offset from UTC, in minutes. */
export const clockAhead = (utcOffset: number, now: number) =>
  clock.format(new Date(now + utcOffset * 60_000));
