/** What time it is for others, and letting them know what time it is here. */
import { Kept } from '../device/saved.ts';
import { send } from '../session/socket.ts';

/** What this device has told the server. */
const told = new Kept('time-zone', (found) => (typeof found === 'string' ? found : undefined));
const here = 'here';

const zone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Once for each zone that this device is in. Unanswered, the next connection tells it. */
export function tellTimeZone(): void {
  const timeZone = zone();
  if (told.get(here) === timeZone) return;
  send('localTime:set', { timeZone }).then(
    () => {
      told.set(here, timeZone);
    },
    () => undefined,
  );
}

export const sharesTime = async (): Promise<boolean> => (await send('localTime:set', {})).shared;

export const shareTime = async (shared: boolean): Promise<boolean> =>
  (await send('localTime:set', { shared, ...(shared && { timeZone: zone() }) })).shared;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: 'UTC' });

/** As a clock shows it so many minutes ahead of UTC. */
export const clockAhead = (utcOffset: number, now: number) =>
  clock.format(new Date(now + utcOffset * 60_000));
