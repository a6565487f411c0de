/** Where I was last, on this device: the server, and the channel in each server. */
const place = 'parley.visited';

interface Visited {
  serverId?: string;
  channels: Record<string, string>;
}

export function visited(): Visited {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? '{}') as Partial<Visited>;
    return { ...kept, channels: { ...kept.channels } };
  } catch {
    return { channels: {} };
  }
}

export function visit(serverId: string, channelId: string): void {
  const { channels } = visited();
  channels[serverId] = channelId;
  localStorage.setItem(place, JSON.stringify({ serverId, channels } satisfies Visited));
}
