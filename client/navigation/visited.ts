/** The places visited last on this device: the server, the channel in each server, and recent channels. */
import { asRecord, load, save } from '../device/storage.ts';

const key = 'visited';

interface Visited {
  serverId?: string;
  channels: Record<string, string>;
  /** Latest first. */
  recent: string[];
}

const maxRecent = 20;

export function visited(): Visited {
  const { serverId, channels, recent } = asRecord(load(key));
  const known = Object.entries(asRecord(channels)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    ...(typeof serverId === 'string' && { serverId }),
    channels: Object.fromEntries(known),
    recent: Array.isArray(recent) ? recent.filter((id) => typeof id === 'string') : [],
  };
}

export function visitDirect(conversationId: string): void {
  const { recent, ...rest } = visited();
  save(key, { ...rest, recent: latest(conversationId, recent) } satisfies Visited);
}

export function visit(serverId: string, channelId: string): void {
  const { channels, recent } = visited();
  save(key, {
    serverId,
    channels: { ...channels, [serverId]: channelId },
    recent: latest(channelId, recent),
  } satisfies Visited);
}

const latest = (id: string, recent: string[]) =>
  [id, ...recent.filter((other) => other !== id)].slice(0, maxRecent);
