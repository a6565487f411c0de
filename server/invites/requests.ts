/** Requests to join a server that approves new members. */
import { conflict, notFound, type ChatError } from '../../shared/failure.ts';
import { JoinRequest } from '../../shared/join-requests.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { userRoom, type Room } from '../../shared/rooms.ts';
import { recordAudit, recordAudits } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import { commit, withAccess, type RoomTransaction } from '../commit.ts';
import { readTransaction, type Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import { banMatchOf, membershipsOf } from '../members/access.ts';
import { addMember, roomsToJoin } from '../members/members.ts';
import { pageOf } from '../people/pages.ts';
import { findPeople } from '../people/people.ts';
import { serverFor } from '../servers/access.ts';
import { answererIds, answererRooms, publishCounts, withManyCounts } from '../tasks/tasks.ts';
import { findDoor } from './pause-store.ts';
import * as store from './request-store.ts';

/**
 * Stores a request, which members with `manage members` can answer. The `roomsToEnter` must be locked.
 * Stores nothing and returns the reason if the server, its guests or the person have reached their limit.
 */
export async function requestToJoin(
  work: RoomTransaction,
  request: store.NewRequest,
): Promise<ChatError | undefined> {
  const { serverId, userId, byGuest } = request;
  const { all, guests, mine } = await store.countRequests(work.db, serverId, userId);
  if (mine >= quotas.joinRequestsPerPerson)
    return conflict(
      `You’ve reached the limit of ${quotas.joinRequestsPerPerson} requests to join. Cancel one, or wait for an answer.`,
    );
  if (all >= quotas.joinRequests || (byGuest && guests >= quotas.joinRequests / 2))
    return conflict('Too many people are waiting to join this server. Try again later.');
  await store.insertRequest(work.db, request);
  await publishCounts(work, serverId);
  return undefined;
}

/** Deletes requests of these people, and returns the ids of those who had one. The `answererRooms` must be locked. */
export async function endRequests(
  work: RoomTransaction,
  serverId: string,
  userIds: string[],
): Promise<string[]> {
  const ended = await store.deleteRequests(work.db, serverId, userIds);
  if (ended.length > 0) await publishCounts(work, serverId);
  return ended;
}

export async function listOwnRequests({ db, user }: Caller): Promise<Output<'joinRequest:mine'>> {
  return { requests: await store.findOwnRequests(db, user.id) };
}

export async function cancelRequest(
  caller: Caller,
  { serverId }: Parsed<'joinRequest:cancel'>,
): Promise<void> {
  const userId = caller.user.id;
  // Refuses people without a request first, so that they lock nothing.
  if (!(await store.hasRequest(caller.db, serverId, userId))) throw notFound();
  const locks = { shared: [serverId], rooms: (db: Db) => answererRooms(db, serverId) };
  await commit(caller, locks, async (work) => {
    if ((await endRequests(work, serverId, [userId])).length === 0) throw notFound();
  });
}

export async function listRequests(
  caller: Caller,
  { serverId }: Parsed<'joinRequest:list'>,
): Promise<Output<'joinRequest:list'>> {
  return readTransaction(caller.db, async (db) => {
    await serverFor(db, caller, serverId, 'manage members');
    const found = await store.findRequests(db, serverId);
    const named = personIdsIn(JoinRequest);
    const { rows: requests, people } = await pageOf(db, found, found.length, named);
    return { requests, people };
  });
}

export async function acceptRequest(
  caller: Caller,
  { serverId, userId }: Parsed<'joinRequest:accept'>,
): Promise<void> {
  let isLocked = false;
  const rooms = async (db: Db) => {
    // Only the room of a person who asked, so that no one locks a stranger’s.
    isLocked = await store.hasRequest(db, serverId, userId);
    return isLocked ? [userRoom(userId), ...(await roomsToJoin(db, [serverId]))] : [];
  };
  await answering(caller, serverId, rooms, async (work) => {
    const ended = isLocked ? await endRequests(work, serverId, [userId]) : [];
    if (ended.length === 0) throw notFound();
    await requireCanJoin(work.db, serverId, userId);
    await addMember(work, { serverId, userId, role: 'member' });
    await recordAudit(work.db, caller, { action: 'joinRequest:accepted', serverId, userId });
  });
}

/** The door can have changed since they asked. @throws ChatError conflict */
async function requireCanJoin(db: Db, serverId: string, userId: string): Promise<void> {
  const { [userId]: person } = await findPeople(db, [userId]);
  const door = await findDoor(db, serverId, userId);
  if (person === undefined || door === undefined) throw notFound();
  if (person.kind === 'guest' && door.closedToGuests)
    throw conflict('Guests can’t join this server. Open it to guests first.');
  if ((await banMatchOf(db, serverId, person)) !== undefined)
    throw conflict('They can’t join because of a ban of someone on their device or network.');
  if ((await membershipsOf(db, userId)).size >= quotas.serversPerPerson)
    throw conflict('They can’t join another server right now.');
}

export async function declineRequests(
  caller: Caller,
  { serverId, userIds }: Parsed<'joinRequest:decline'>,
): Promise<void> {
  const { user, address } = caller;
  await answering(
    caller,
    serverId,
    () => Promise.resolve([]),
    async (work) => {
      const ended = await endRequests(work, serverId, userIds);
      const deeds = ended.map((userId) => ({ user, address, serverId, userId }));
      await recordAudits(work.db, 'joinRequest:declined', deeds);
    },
  );
}

/** Also locks the rooms of those who can answer requests, and charges points for them. */
const answering = (
  caller: Caller,
  serverId: string,
  rooms: (db: Db) => Promise<Room[]>,
  work: (work: RoomTransaction) => Promise<void>,
): Promise<void> =>
  withAccess(
    caller,
    (db) => serverFor(db, caller, serverId, 'manage members'),
    () => withManyCounts(caller, { shared: [serverId], rooms }, (db) => answererIds(db, serverId)),
    work,
  );

export const requestEnding: Ending = {
  async account(context, { id }) {
    for (const serverId of await store.findServersAsked(context.db, id)) {
      const locks = { shared: [serverId], rooms: (db: Db) => answererRooms(db, serverId) };
      await commit(context, locks, async (work) => void (await endRequests(work, serverId, [id])));
    }
  },
};
