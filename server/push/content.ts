import { channelMark, mentionMark, namedIn } from '../../shared/mentions.ts';
import { decideNotification } from '../../shared/notification-rules.ts';
import type { PushedMessage } from '../../shared/push.ts';
import { findPeople } from '../people/people.ts';
import type { Db } from '../database/database.ts';
import { readTimelineRights } from '../messages/access.ts';
import { notificationSettingsOf } from '../notifications/slices.ts';
import { chosenStatus } from '../presence/status.ts';
import type { Due } from './content-store.ts';

interface Wanted {
  /** The wanted messages, in their original order. */
  dues: Due[];
  /** True if the person may send messages there. */
  canReply: boolean;
}

/** Chooses the messages of one place that a person wants, by the current rights, settings, status and blocks. */
export async function wantedAmong(db: Db, dues: Due[]): Promise<Wanted> {
  const [first] = dues;
  if (first === undefined) return noneWanted;
  const { user, timelineId } = first;
  const [{ rights }, settings, status] = await Promise.all([
    readTimelineRights(db, { user }, timelineId),
    notificationSettingsOf(db, user.id, {}),
    chosenStatus(db, user.id),
  ]);
  if (!rights.has('see')) return noneWanted;
  const recipient = {
    userId: user.id,
    settings: new Map(settings.map((one) => [one.targetId, one])),
    status,
  };
  const wanted = dues.filter(({ serverId, authorId, body, isMentioned, isUnwanted }) => {
    const place = { timelineId, serverId: serverId ?? undefined, authorId, body };
    const how = { isMentioned, isUnwanted };
    return decideNotification(recipient, place, how, new Date()) === 'notification';
  });
  return { dues: wanted, canReply: rights.has('send') };
}

const noneWanted: Wanted = { dues: [], canReply: false };

/** Characters. With everything around it, the text fits the 4,096 bytes that push services accept. */
const longest = 300;

const maxOthers = 99;

/** Builds the push message for the newest message, `dues[0]`; the notification only counts the others. */
export async function pushedContentOf(
  db: Db,
  { dues: [due, ...others], canReply }: { dues: [Due, ...Due[]]; canReply: boolean },
): Promise<PushedMessage> {
  const { user, timelineId, serverId, position, read, hidesText } = due;
  return {
    ...{ timelineId, position, read },
    ...(canReply && { replyAs: user.id }),
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
