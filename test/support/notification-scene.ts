/** People in a place, their choices, what they say, and what a plain model makes of it. */
import { mentionOf } from '../../shared/mentions.ts';
import type { Message } from '../../shared/messages.ts';
import type { NotificationSetting } from '../../shared/notifications.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Random } from './generate.ts';
import { isQuietAt, modelOf } from './notification-model.ts';
import type { NotifyingDevice } from './notifying-device.ts';
import type { Person } from './person.ts';
import { until } from './time.ts';

export interface Place {
  serverId: string;
  channelIds: string[];
  conversationIds: string[];
}

export const allIn = ({ channelIds, conversationIds }: Place) => [
  ...channelIds,
  ...conversationIds,
];

export async function openNotifiedPlace([owner, ...others]: Person[]): Promise<Place> {
  const { server } = await owner!.send('server:create', { name: 'Noticed' });
  const serverId = server.id;
  const { invite } = await owner!.send('invite:create', { serverId });
  for (const other of others) await other.send('server:join', { code: invite.code });
  const { channel } = await owner!.send('channel:create', { serverId, name: 'more' });
  const userIds = others.map(({ id }) => id);
  const { conversation } = await owner!.send('conversation:create', { userIds });
  return {
    serverId,
    channelIds: [server.defaultChannelId, channel.id],
    conversationIds: [conversation.id],
  };
}

export async function choose(device: NotifyingDevice, chosen: Input<'notification:set'>) {
  const { setting } = await device.person.send('notification:set', chosen);
  await until(() => device.settings.get(chosen.targetId)?.version === setting?.version);
}

export async function talk(
  random: Random,
  people: Person[],
  place: Place,
  halfway?: () => void,
): Promise<Message[]> {
  const said: Message[] = [];
  const count = random.int(2, 10);
  for (let i = 0; i < count; i += 1) {
    if (i === Math.floor(count / 2)) halfway?.();
    const author = random.pick(people);
    const body = random.pick([
      'x',
      'Tea?',
      mentionOf(random.pick(people).id),
      ...(author === people[0] ? ['@everyone'] : []),
    ]);
    const timelineId = random.pick(allIn(place));
    said.push((await author.send('message:send', { timelineId, body })).message);
  }
  return said;
}

export async function readSome(random: Random, people: Person[], place: Place): Promise<void> {
  for (const person of people) {
    if (random.chance(0.5)) continue;
    const timelineId = random.pick(allIn(place));
    const { messages } = await person.send('message:list', { timelineId, limit: 10 });
    if (messages.length === 0) continue;
    const { position } = random.pick(messages);
    await person.send('read:update', { timelineId, position });
  }
}

export function modelled(
  { person, settings, status, now }: NotifyingDevice,
  message: Message,
  place: Place,
  owner: Person,
) {
  const { id } = person;
  const all = settings.get(id);
  const isInServer = place.channelIds.includes(message.timelineId);
  const server = isInServer ? settings.get(place.serverId) : 'in no server';
  const timeline = settings.get(message.timelineId);
  const places: (Partial<NotificationSetting> | undefined)[] = [
    ...[all, timeline],
    ...(server === 'in no server' ? [] : [server]),
  ];
  const { body, authorId } = message;
  return modelOf(
    {
      isMine: authorId === id,
      isMentioned: body === mentionOf(id) || (body === '@everyone' && authorId === owner.id),
      hasKeyword: all?.keywords !== undefined && body === 'Tea?',
    },
    {
      ...{ all, server, timeline, author: settings.get(authorId) },
      isMuted: places.some(({ muted, hidden } = {}) => hidden ?? (muted && isMutedAt(muted, now))),
      isQuiet:
        status === 'dnd' || (all?.quietHours !== undefined && isQuietAt(all.quietHours, now)),
    },
  );
}

const isMutedAt = ({ until }: { until?: string | undefined }, now: Date) =>
  until === undefined || new Date(until) > now;
