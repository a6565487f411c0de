import type { Account } from '../../shared/accounts.ts';
import type { Change } from '../../shared/changes.ts';
import { namedIn } from '../../shared/mentions.ts';
import { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { asPerson, findPeople, ownersIn, type NamedUser } from '../people/people.ts';
import type { Db } from '../database/database.ts';
import type { LockedRoom } from '../database/locks.ts';
import type { AccessVersion, Envelope } from '../realtime/node-messages.ts';
import type { StoredNews } from './part.ts';

/** Builds one envelope for each timeline, with its changes in order of version. */
export async function messageEnvelopes(
  db: Db,
  rooms: Map<string, LockedRoom>,
  changed: Map<string, Message>,
  {
    writers,
    news,
    isVisible,
    accessVersionOf,
    isPrivate,
  }: {
    writers: { user: Account }[];
    news: readonly StoredNews[];
    isVisible: (user: NamedUser) => boolean;
    accessVersionOf: (timelineId: string) => AccessVersion | undefined;
    isPrivate: (timelineId: string) => boolean;
  },
): Promise<Envelope[]> {
  const messages = [...changed.values()].sort((a, b) => a.version - b.version);
  const named = messages.flatMap(usersNamedIn).map(({ userId }) => userId);
  const people = await namesOf(db, [...messages.flatMap(involvedIn), ...named], writers);
  return [...rooms].flatMap(([timelineId, { version: from, lastPosition }]) => {
    const here = messages.filter((message) => message.timelineId === timelineId);
    if (here.length === 0) return [];
    const envelope = {
      room: timelineRoom(timelineId),
      from,
      to: from + here.length,
      changes: here.map((message) => asChange(message, message.position > lastPosition)),
      people: peopleIn(here, people, isVisible),
      mark: accessVersionOf(timelineId),
    };
    const added = here.filter(({ position }) => position > lastPosition);
    const deleted = here.flatMap(({ deletedAt, position }) => (deletedAt ? [position] : []));
    const more = news.flatMap(({ activity }) => activity?.get(timelineId) ?? []);
    if (added.length + deleted.length + more.length === 0) return [envelope];
    const activity = {
      ...activityOf(added, lastPosition),
      private: isPrivate(timelineId),
      mentions: {},
      ...(deleted.length > 0 && { deleted }),
    };
    return [{ ...envelope, said: Object.assign(activity, ...more) as typeof activity }];
  });
}

const involvedIn = personIdsIn(Message);

export const usersNamedIn = ({
  timelineId,
  body,
}: Pick<Message, 'timelineId' | 'body'>): NamedUser[] =>
  namedIn(body).map((userId) => ({ timelineId, userId }));

/** Reads only the people who are not among the writers: usually none. */
async function namesOf(db: Db, ids: string[], writers: { user: Account }[]): Promise<People> {
  const known = Object.fromEntries(writers.map(({ user }) => [user.id, asPerson(user)]));
  const others = [...ids.filter((id) => !(id in known)), ...ownersIn(known)];
  return { ...(await findPeople(db, others)), ...known };
}

/** The people whose ids are in the messages, visible mentioned people, and the owners of the bots among them. */
const peopleIn = (
  messages: Message[],
  people: People,
  isVisible: (user: NamedUser) => boolean,
): People =>
  Object.fromEntries(
    messages
      .flatMap((message) => {
        const visible = usersNamedIn(message).filter((user) => isVisible(user));
        return [...involvedIn(message), ...visible.map(({ userId }) => userId)];
      })
      .flatMap((id) => [id, people[id]?.ownerId ?? id])
      .flatMap((id) => {
        const person = people[id];
        return person === undefined ? [] : [[id, person]];
      }),
  );

/** `added` is in order of version and so of position: the last message of each author counts as read. */
const activityOf = (added: Message[], since: number) => ({
  since,
  last: added.at(-1)?.position ?? since,
  read: Object.fromEntries(added.map(({ authorId, position }) => [authorId, position])),
});

export function asChange(message: Message, isNew: boolean): Change {
  const { version } = message;
  if (message.deletedAt !== undefined) return { type: 'message:deleted', version, message };
  return { type: isNew ? 'message:created' : 'message:updated', version, message };
}
