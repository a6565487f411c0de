import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { ChangeType } from '../../shared/rooms.ts';
import type { TestApp } from './app.ts';
import type { Person } from './person.ts';

export const pair = (app: TestApp): Promise<[Person, Person]> =>
  Promise.all([app.person('Ann'), app.person('Ben')]);

export async function ask(from: Person, to: Person, more: object = {}): Promise<FriendRequest> {
  const asked = await from.send('friendRequest:create', { userId: to.id, ...more });
  if (!('friendRequest' in asked)) throw new Error('they are friends');
  return asked.friendRequest;
}

/** Returns the friendship as the second person sees it. */
export async function befriend(one: Person, other: Person): Promise<Friendship> {
  await ask(one, other);
  return (await other.send('friendship:create', { userId: one.id })).friendship;
}

export const requestsOf = async (person: Person): Promise<FriendRequest[]> =>
  (await person.send('friendRequest:list', {})).friendRequests;
export const listFriendships = async (person: Person): Promise<Friendship[]> =>
  (await person.send('friendship:list', {})).friendships;

export const waitForChange = (person: Person, type: ChangeType) =>
  person.waitFor('changes', ({ changes }) => changes.some((change) => change.type === type));
export const receivedTypes = (person: Person): ChangeType[] =>
  person.received('changes').flatMap(({ changes }) => changes.map(({ type }) => type));

export async function crowd({ db }: TestApp, size: number): Promise<string[]> {
  const ids = Array.from({ length: size }, () => v7());
  await query(db, `insert into rooms (id, kind) select unnest($1::uuid[]), 'user'`, [ids]);
  await query(
    db,
    `insert into users (id, kind, display_name) select unnest($1::uuid[]), 'guest', 'Extra'`,
    [ids],
  );
  return ids;
}
