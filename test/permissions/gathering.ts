/** Gathers a person of each kind around one server, one group and one other person, all of them subscribed. */
import type { Server } from '../../shared/servers.ts';
import type { TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { serverKinds, kinds, type CallerKind } from './kinds.ts';
import { asked, giveRole } from './scene.ts';

/** `other` is the friend's friend, blocks the blocked, is blocked by the blocker, and is in server and group. */
export type ListenerKind = CallerKind | 'other';

export interface Gathering {
  people: Record<ListenerKind, Person>;
  server: Server;
  code: string;
  categoryId: string;
  roleId: string;
  channelId: string;
  /** A private channel of the owner, the member and the other. */
  secretId: string;
  groupId: string;
  /** A conversation of the participant and the other alone. */
  pairId: string;
  friendshipId: string;
}

const listeners: readonly ListenerKind[] = [...kinds, 'other'];

export async function gatherListeners(app: TestApp): Promise<Gathering> {
  const all = await Promise.all(
    listeners.map(
      async (kind) => [kind, await (kind === 'guest' ? app.guest() : app.person())] as const,
    ),
  );
  const people = Object.fromEntries(all) as Record<ListenerKind, Person>;
  const gathering = {
    people,
    ...(await openServer(people)),
    ...(await openConversations(people)),
    friendshipId: await tie(people),
  };
  await Promise.all(Object.values(people).map((person) => enterAll(person, gathering)));
  return gathering;
}

/** Moves the same people to a new server, because a new gathering takes much longer. */
export async function gatherAgain(gathering: Gathering): Promise<Gathering> {
  const { people, server } = gathering;
  // The owner can have changed by a transfer.
  for (const owner of [people.owner, people.member])
    await owner.send('server:delete', { serverId: server.id }).catch(() => undefined);
  const again = { ...gathering, ...(await openServer(people)) };
  await Promise.all(Object.values(people).map((person) => enterServer(person, again)));
  return again;
}

async function openServer(people: Gathering['people']) {
  const { owner, moderator, member, other, 'ex-member': left } = people;
  const { server } = await owner.send('server:create', { name: 'Place' });
  const serverId = server.id;
  const { code } = (await owner.send('invite:create', { serverId })).invite;
  for (const kind of [...serverKinds, 'ex-member', 'other'] as const)
    if (kind !== 'owner') await people[kind].send('server:join', { code });
  await left.send('server:leave', { serverId });
  await owner.send('member:update', { serverId, userId: moderator.id, role: 'moderator' });
  const roleId = await giveRole(owner, { serverId, userId: people['member with a role'].id });
  const { category } = await owner.send('category:create', { serverId, name: 'Rooms' });
  const { channel } = await owner.send('channel:create', { serverId, name: 'side' });
  const userIds = [member.id, other.id];
  const secret = await owner.send('channel:create', {
    ...{ serverId, name: 'secret', private: true, userIds },
  });
  const ids = {
    roleId,
    categoryId: category.id,
    channelId: channel.id,
    secretId: secret.channel.id,
  };
  return { server, code, ...ids };
}

async function openConversations(people: Gathering['people']) {
  const { blocked, blocker, participant, other, 'ex-participant': left } = people;
  const founder = people['founder of a group'];
  const userIds = [blocked, blocker, participant, other, left].map(({ id }) => id);
  const group = (await founder.send('conversation:create', { userIds })).conversation;
  await left.send('conversation:delete', { conversationId: group.id });
  const pair = await participant.send('conversation:create', { userIds: [other.id] });
  return { groupId: group.id, pairId: pair.conversation.id };
}

async function tie({ friend, blocked, blocker, other }: Gathering['people']): Promise<string> {
  await other.send('block:create', { userId: blocked.id });
  await blocker.send('block:create', { userId: other.id });
  const { requestId } = await asked(friend, other);
  await other.send('friendship:create', { userId: friend.id });
  return requestId;
}

async function enterAll(person: Person, gathering: Gathering): Promise<void> {
  const { groupId, pairId } = gathering;
  await enterServer(person, gathering);
  await Promise.allSettled(
    [groupId, pairId].map((id) => person.send('conversation:open', { conversationId: id })),
  );
}

async function enterServer(person: Person, { server, channelId, secretId }: Gathering) {
  await Promise.allSettled([
    person.send('server:open', { serverId: server.id }),
    ...[channelId, secretId].map((id) => person.send('channel:join', { channelId: id })),
  ]);
}
