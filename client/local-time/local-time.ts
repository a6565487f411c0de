/** What time it is for others, and whether they know what time it is here. */
import { send } from '../session/socket.ts';

/** As this device has it. */
export const timeZoneHere = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const sharesTime = async (): Promise<boolean> => (await send('localTime:set', {})).shared;

export const shareTime = async (shared: boolean): Promise<boolean> =>
  (await send('localTime:set', { shared, ...(shared && { timeZone: timeZoneHere() }) })).shared;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: 'UTC' });

/** As a clock shows it so many minutes ahead of UTC. */
export const clockAhead = (utcOffset: number, now: number) =>
  clock.format(new Date(now + utcOffset * 60_000));
