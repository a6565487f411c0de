/** Letting the server know which time zone this device is in. */
import { Kept } from '../device/saved.ts';
import { send } from '../session/socket.ts';
import { timeZoneHere } from './local-time.ts';

/** What this device has told. */
const told = new Kept('time-zone', (found) => (typeof found === 'string' ? found : undefined));
const here = 'here';

/** Once for each zone that it is in. Unanswered, the next connection tells it. */
export async function tellTimeZone(): Promise<void> {
  const timeZone = timeZoneHere();
  if (told.get(here) === timeZone) return;
  await send('localTime:set', { timeZone });
  told.set(here, timeZone);
}
