import type { Server } from '../../shared/servers.ts';
import { ReplayCrowd, walkScript } from '../../test/replay/crowd.ts';
import type { ScriptLine } from '../../test/replay/lines.ts';
import type { ReplayProgress } from '../../test/replay/replay.ts';
import { writePlace, type DemoPlace } from './place.ts';
import { leaveWord, register, type Regular, type Regulars } from './regulars.ts';

/** The channels of each category, each for one day of the excerpt. New people arrive in the first channel. */
const categories = {
  Support: [
    { day: '2013-01-11', name: 'help', topic: 'Ask, and say what you have tried' },
    { day: '2007-06-04', name: 'hardware', topic: 'Graphics, modems, sound cards' },
  ],
  Community: [
    { day: '2006-06-01', name: 'dapper-drake', topic: 'It’s released!' },
    { day: '2011-02-13', name: 'off-topic', topic: 'Everything else' },
  ],
};

/** `address` is the link that makes a person the owner. */
export async function fillDemo(
  address: string,
  lines: readonly ScriptLine[],
  directory: string,
  show: (now: ReplayProgress) => void,
): Promise<DemoPlace> {
  const { origin: url, pathname } = new URL(address);
  const owner = await register(url, 'mika', pathname.split('/').at(-1) ?? '');
  const server = await openServer(owner);
  const serverId = server.id;
  const { invite } = await owner.visitor.ask('invite:create', { serverId });
  const regulars: Regulars = {
    mika: owner,
    jonas: await register(url, 'jonas', invite.code),
    priya: await register(url, 'priya', invite.code),
  };
  const userId = regulars.jonas.id;
  await owner.visitor.ask('member:update', { serverId, userId, role: 'moderator' });
  const place: DemoPlace = {
    filled: false,
    invite: invite.code,
    serverId,
    arrivalId: server.defaultChannelId,
    timelines: await openChannels(owner, server),
    regulars: identitiesOf(regulars),
    people: {},
  };
  await writePlace(directory, place);
  const people = await talk(url, lines, place, show);
  await leaveWord(regulars, serverId, place.arrivalId);
  for (const { visitor } of Object.values(regulars)) visitor.close();
  const filled = { ...place, filled: true, people };
  await writePlace(directory, filled);
  return filled;
}

async function openServer({ visitor }: Regular): Promise<Server> {
  const { servers } = await visitor.ask('server:list', {});
  const [lobby] = servers;
  if (lobby === undefined) throw new Error('The owner’s account has no server.');
  return (await visitor.ask('server:update', { serverId: lobby.id, name: 'Ubuntu' })).server;
}

async function openChannels({ visitor }: Regular, { id: serverId, defaultChannelId }: Server) {
  const timelines: Record<string, string> = {};
  for (const [name, channels] of Object.entries(categories)) {
    const { category } = await visitor.ask('category:create', { serverId, name });
    for (const { day, ...names } of channels) {
      const wanted = { ...names, categoryId: category.id };
      const isFirst = Object.keys(timelines).length === 0;
      const { channel } = isFirst
        ? await visitor.ask('channel:update', { channelId: defaultChannelId, ...wanted })
        : await visitor.ask('channel:create', { serverId, ...wanted });
      timelines[day] = channel.id;
    }
  }
  return timelines;
}

/** Returns the identities of the authors, by nick. */
async function talk(
  url: string,
  lines: readonly ScriptLine[],
  { invite, timelines, arrivalId }: DemoPlace,
  show: (now: ReplayProgress) => void,
): Promise<DemoPlace['people']> {
  const crowd = new ReplayCrowd(lines, [url], {
    invite,
    timelineOf: ({ day }) => timelines[day] ?? arrivalId,
  });
  let done = 0;
  await walkScript(crowd, lines, Infinity, () => {
    done += 1;
    show({ lines: done, messages: done, sockets: crowd.pool.taken });
  });
  crowd.close();
  return crowd.identities;
}

const identitiesOf = (regulars: Regulars): DemoPlace['regulars'] =>
  Object.fromEntries(
    Object.entries(regulars).map(([name, { id, cookie }]) => [name, { id, cookie }]),
  );
