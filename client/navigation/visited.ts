/** Where I was last, on this device: the server, and the channel in each server. */
import { asRecord, keep, kept } from '../storage.ts';

const place = 'visited';

interface Visited {
  serverId?: string;
  channels: Record<string, string>;
}

export function visited(): Visited {
  const { serverId, channels } = asRecord(kept(place));
  const known = Object.entries(asRecord(channels)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    ...(typeof serverId === 'string' && { serverId }),
    channels: Object.fromEntries(known),
  };
}

export function visit(serverId: string, channelId: string): void {
  const { channels } = visited();
  keep(place, { serverId, channels: { ...channels, [serverId]: channelId } } satisfies Visited);
}
