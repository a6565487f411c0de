/** What a flush tells of the messages that it changed. */
import type { Account } from '../../shared/accounts.ts';
import type { Change } from '../../shared/changes.ts';
import { namedIn } from '../../shared/mentions.ts';
import { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { asPerson, ownersIn, findPeople, type NamedUser } from '../people/people.ts';
import type { CallsByPosition } from '../calling/calling.ts';
import type { Db } from '../database/database.ts';
import type { LockedRoom } from '../database/locks.ts';
import type { Mentioned } from '../mentions/mentions.ts';
import type { AccessVersion, Envelope } from '../realtime/node-messages.ts';

/** One envelope for each timeline, its changes in the order of their versions. */
export async function envelopesOf(
  db: Db,
  rooms: Map<string, LockedRoom>,
  changed: Map<string, Message>,
  {
    writers,
    named,
    isVisible,
    mentions,
    called,
    accessVersionOf,
    isPrivate,
  }: {
    writers: { user: Account }[];
    /** The people whom the writers' messages name. */
    named: People;
    /** Whether readers of the timeline may see a named user. */
    isVisible: (user: NamedUser) => boolean;
    mentions: Map<string, Mentioned>;
    called: Map<string, CallsByPosition>;
    accessVersionOf: (timelineId: string) => AccessVersion | undefined;
    isPrivate: (timelineId: string) => boolean;
  },
): Promise<Envelope[]> {
  const messages = [...changed.values()].sort((a, b) => a.version - b.version);
  const people = { ...named, ...(await namesOf(db, messages.flatMap(involvedIn), writers)) };
  return [...rooms].flatMap(([timelineId, { version: from, lastPosition }]) => {
    const here = messages.filter((message) => message.timelineId === timelineId);
    if (here.length === 0) return [];
    const envelope = {
      room: timelineRoom(timelineId),
      from,
      to: from + here.length,
      changes: here.map((message) => asChange(message, message.position > lastPosition)),
      people: mentionedIn(here, people, isVisible),
      mark: accessVersionOf(timelineId),
    };
    const added = here.filter(({ position }) => position > lastPosition);
    const mentioned = mentions.get(timelineId);
    const calls = called.get(timelineId);
    const deleted = here.flatMap(({ deletedAt, position }) => (deletedAt ? [position] : []));
    const isQuiet = added.length + deleted.length === 0;
    if (isQuiet && mentioned === undefined && calls === undefined) return [envelope];
    const where = {
      private: isPrivate(timelineId),
      mentions: mentioned ?? {},
      ...(calls && { calls }),
      ...(deleted.length > 0 && { deleted }),
    };
    const news = { ...said(added, lastPosition), ...where };
    return [{ ...envelope, said: news }];
  });
}

/** Its author, and who deleted it. */
const involvedIn = personIdsIn(Message);

/** Nearly always they are those who write, and are known. */
async function namesOf(db: Db, ids: string[], writers: { user: Account }[]): Promise<People> {
  const known = Object.fromEntries(writers.map(({ user }) => [user.id, asPerson(user)]));
  const others = [...ids.filter((id) => !(id in known)), ...ownersIn(known)];
  return { ...(await findPeople(db, others)), ...known };
}

/** Who is involved in messages, whom these name, and whose the bots among them are. */
const mentionedIn = (
  messages: Message[],
  people: People,
  isVisible: (user: NamedUser) => boolean,
): People =>
  Object.fromEntries(
    messages
      .flatMap((message) => {
        const { body, timelineId } = message;
        const visible = namedIn(body).filter((userId) => isVisible({ timelineId, userId }));
        return [...involvedIn(message), ...visible];
      })
      .flatMap((id) => [id, people[id]?.ownerId ?? id])
      .flatMap((id) => {
        const person = people[id];
        return person === undefined ? [] : [[id, person]];
      }),
  );

/** In order of version, which for new messages is that of position: the last counts. */
const said = (added: Message[], since: number) => ({
  since,
  last: added.at(-1)?.position ?? since,
  read: Object.fromEntries(added.map(({ authorId, position }) => [authorId, position])),
});

/** A message's latest change, which is its sending or what happened to it since. */
export function asChange(message: Message, isNew: boolean): Change {
  const { version } = message;
  if (message.deletedAt !== undefined) return { type: 'message:deleted', version, message };
  return { type: isNew ? 'message:created' : 'message:updated', version, message };
}
