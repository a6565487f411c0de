import { channelMark, mentionMark, namedIn } from '../../shared/mentions.ts';
import { decideNotification } from '../../shared/notification-rules.ts';
import type { PushedMessage } from '../../shared/push.ts';
import { findPeople } from '../people/people.ts';
import type { Db } from '../database/database.ts';
import { timelinesSeenBy } from '../messages/access.ts';
import { notificationSettingsOf } from '../notifications/slices.ts';
import { chosenStatus } from '../presence/status.ts';
import type { Due } from './content-store.ts';

/** Chooses the messages of one place that a person wants, by the current rights, settings, status and blocks. */
export async function wantedAmong(db: Db, dues: Due[]): Promise<Due[]> {
  const [first] = dues;
  if (first === undefined) return [];
  const { user, timelineId } = first;
  const [seen, settings, status] = await Promise.all([
    timelinesSeenBy(db, { user }, [timelineId]),
    notificationSettingsOf(db, user.id, {}),
    chosenStatus(db, user.id),
  ]);
  if (!seen.has(timelineId)) return [];
  const recipient = {
    userId: user.id,
    settings: new Map(settings.map((one) => [one.targetId, one])),
    status,
  };
  return dues.filter(({ serverId, authorId, body, isMentioned, isUnwanted }) => {
    const place = { timelineId, serverId: serverId ?? undefined, authorId, body };
    const how = { isMentioned, isUnwanted };
    return decideNotification(recipient, place, how, new Date()) === 'notification';
  });
}

/** Characters. With everything around it, the text fits the 4,096 bytes that push services accept. */
const longest = 300;

const maxOthers = 99;

/** `others`: the other messages of the place that the notification counts. */
export async function pushedContentOf(db: Db, due: Due, others: Due[]): Promise<PushedMessage> {
  const { timelineId, serverId, position, read, hidesText } = due;
  return {
    ...{ timelineId, position, read },
    others: others.slice(0, maxOthers).map(({ position }) => position),
    path: serverId
      ? `/s/${serverId}/${timelineId}/${position}`
      : `/direct/${timelineId}/${position}`,
    title: titleOf(due),
    body: hidesText ? 'New message' : await textOf(db, due),
  };
}

function titleOf({ author, channel, server, group }: Due): string {
  if (channel !== null) return `${author} (#${channel}, ${server ?? ''})`;
  return group === null ? author : `${author} (${group})`;
}

/** The text without markup. Names of channels are left out, because the recipient can lack access to them. */
async function textOf(db: Db, { body, fileNames }: Due): Promise<string> {
  const people = await findPeople(db, namedIn(body));
  const words = body
    .replace(
      mentionMark,
      (_, userId: string) => `@${people[userId.toLowerCase()]?.name ?? 'someone'}`,
    )
    .replace(channelMark, '#channel')
    .replace(/\*\*|~~|`+/g, '')
    .trim();
  return cut(words || fileNames.join(', '));
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : text;
}
