import type { Conversation } from '../../shared/conversations.ts';
import type { Change } from '../../shared/changes.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlaceOfStrangers } from '../support/place.ts';

export async function circle(app: TestApp) {
  const [ann, ben, cem] = [
    await app.person('Ann'),
    await app.person('Ben'),
    await app.person('Cem'),
  ];
  const stranger = await app.person('Stranger');
  const { code } = await openPlaceOfStrangers(ann, ben, cem);
  return { ann, ben, cem, stranger, code };
}

export async function newMember(app: TestApp, code: string): Promise<Person> {
  const person = await app.person();
  await person.send('server:join', { code });
  return person;
}

export async function befriend(one: Person, other: Person): Promise<void> {
  await one.send('friendRequest:create', { userId: other.id });
  await other.send('friendship:create', { userId: one.id });
}
export const acceptConversation = (who: Person, conversationId: string) =>
  who.send('conversation:accept', { conversationId });

export const start = async (
  who: Person,
  userIds: string[],
  more: { name?: string; id?: string } = {},
) => (await who.send('conversation:create', { userIds, ...more })).conversation;
export const change = async (
  who: Person,
  conversationId: string,
  what: { name?: string | null; addUserIds?: string[]; removeUserIds?: string[] },
) => (await who.send('conversation:update', { conversationId, ...what })).conversation;
export const say = async (who: Person, timelineId: string, body = 'Hello') =>
  (await who.send('message:send', { timelineId, body })).message;
export async function listConversations(who: Person): Promise<Conversation[]> {
  const all: Conversation[] = [];
  for (let isMore = true; isMore;) {
    const page = await who.send('conversation:list', { after: all.at(-1)?.id });
    all.push(...page.conversations);
    isMore = page.more.after;
  }
  return all;
}
export const findListed = async (who: Person, id: string) =>
  (await listConversations(who)).find((one) => one.id === id);
export const badge = async (who: Person, id: string) => {
  const { epoch } = who.ready;
  const { timelines } = await who.send('sync', { epoch, rooms: {}, badges: true });
  return timelines?.[id];
};
/** True when the client shows the row: it is not hidden, or its badge is newer. */
export const isOnList = async (who: Person, id: string) => {
  const { hiddenUntil = 0 } = (await findListed(who, id)) ?? {};
  return hiddenUntil === null || ((await badge(who, id))?.last ?? 0) > hiddenUntil;
};
export const waitForChange = async (
  who: Person,
  fits: (change: Change) => boolean,
): Promise<Change> => {
  const { changes } = await who.waitFor(
    'changes',
    ({ room, changes }) => room === userRoom(who.id) && changes.some(fits),
  );
  return changes.find(fits)!;
};
export const about = (id: string, type: Change['type']) => (change: Change) =>
  change.type === type &&
  ('conversation' in change ? change.conversation.id === id : 'conversationId' in change);
