import { SavedMap } from '../device/saved.ts';
import { send } from '../session/socket.ts';
import { timeZoneHere } from './local-time.ts';

/** The time zone that this device sent last. */
const sentZones = new SavedMap('time-zone', (found) =>
  typeof found === 'string' ? found : undefined,
);
const here = 'here';

/** Sends each time zone once. Without a response, the next connection sends it again. */
export async function sendTimeZone(): Promise<void> {
  const timeZone = timeZoneHere();
  if (sentZones.get(here) === timeZone) return;
  await send('localTime:set', { timeZone });
  sentZones.set(here, timeZone);
}
