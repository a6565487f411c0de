/** Makes the place of the demo, and lets the conversations take place there. */
import { v7 } from 'uuid';
import { Crowd, walk } from '../replay/crowd.ts';
import { openServer, type Hosted } from '../replay/host.ts';
import type { Line } from '../replay/lines.ts';
import type { Progress } from '../replay/replay.ts';
import { writePlace, type Place } from './place.ts';

/** The sessions of the excerpt by what they are about. The first is where newcomers of the server arrive. */
const channels = [
  { day: '2013-01-11', name: 'help', topic: 'Ask, and say what you have tried' },
  { day: '2007-06-04', name: 'hardware', topic: 'Graphics, modems, sound cards' },
  { day: '2006-06-01', name: 'dapper-drake', topic: 'It is released!' },
];

export async function fill(
  url: string,
  lines: readonly Line[],
  directory: string,
  show: (now: Progress) => void,
): Promise<Place> {
  const hosted = await openServer(url, 'Ubuntu');
  const place = {
    filled: false,
    invite: hosted.invite,
    timelines: await openTimelines(hosted, lines),
    people: {},
  };
  await writePlace(directory, place);
  const crowd = new Crowd(lines, [url], {
    invite: place.invite,
    timelineOf: ({ day }) => place.timelines[day] ?? '',
  });
  let done = 0;
  await walk(crowd, lines, Infinity, () => {
    done += 1;
    show({ lines: done, messages: done, sockets: crowd.seats.taken });
  });
  crowd.close();
  hosted.host.close();
  const filled = { ...place, filled: true, people: crowd.identities };
  await writePlace(directory, filled);
  return filled;
}

/** A channel for each session that we know; the others are held in Lobby, where everybody is. */
async function openTimelines(hosted: Hosted, lines: readonly Line[]) {
  const { host, server } = hosted;
  const { servers } = await host.ask('server:list', {});
  const lobby = servers.find(({ id }) => id !== server.id) ?? server;
  const days = new Set(lines.map(({ day }) => day));
  const timelines = Object.fromEntries([...days].map((day) => [day, lobby.defaultChannelId]));
  for (const [index, { day, ...names }] of channels.entries())
    timelines[day] = index === 0 ? await nameDefault(hosted, names) : await create(hosted, names);
  return timelines;
}

interface Names {
  name: string;
  topic: string;
}

async function nameDefault({ host, server }: Hosted, names: Names): Promise<string> {
  const channelId = server.defaultChannelId;
  await host.ask('channel:update', { channelId, ...names });
  return channelId;
}

async function create({ host, server }: Hosted, names: Names): Promise<string> {
  const id = v7();
  await host.ask('channel:create', { serverId: server.id, id, ...names });
  return id;
}
