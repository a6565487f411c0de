/** A caller of each kind, with a server, a group and another person, created on demand. */
import { v7 } from 'uuid';
import type { PicturePurpose } from '../../shared/files.ts';
import type { Message } from '../../shared/messages.ts';
import { grantable } from '../../shared/permissions.ts';
import type { Server } from '../../shared/servers.ts';
import type { TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { grouped, serverKinds, paired, type CallerKind } from './kinds.ts';

/** Shared by all scenes. */
export interface Cast {
  founder: Person;
  /** In the server and in the group, a friend of some callers, and across a block from others. */
  other: Person;
  banned: Person;
  /** In no server, and a friend of the friends. */
  hermit: Person;
  instanceOwner: Person;
  /** Also an administrator of the instance. */
  colleague: Person;
  newcomer: () => Promise<Person>;
  /** Without any caller. */
  closed: Group;
  closedPair: Group;
  /** Between two others. */
  others: { requestId: string; friendshipId: string };
}

export interface SceneServer {
  owner: Person;
  server: Server;
  channelId: string;
  code: string;
  /** The caller's own message if the kind could ever write one, else the other's. */
  own: Message;
  theirs: Message;
  /** A private channel with the other (and the caller, if possible), and one without the caller. */
  inside: () => Promise<string>;
  outside: () => Promise<string>;
  /** An announcement channel, and a message in it from before: the caller’s own, if they are in the server. */
  announced: () => Promise<{ timelineId: string; messageId: string }>;
  categoryId: () => Promise<string>;
  ban: () => Promise<void>;
}

/** A conversation and its messages. `own` is the caller's if they are a participant, else the other's. */
export interface Group {
  conversationId: string;
  own: Message;
  theirs: Message;
}

export interface Scene extends Omit<Cast, 'closed' | 'closedPair'> {
  caller: Person;
  kind: CallerKind;
  place: () => Promise<SceneServer>;
  group: () => Promise<Group>;
  pair: () => Promise<Group>;
  /** Makes the caller and the other what the kind requires. A block ends earlier relationships. */
  tie: () => Promise<void>;
  /** The next request for a place, a group or a pair creates a new one, because the former one has changed. */
  forget: () => Promise<void>;
  close: () => Promise<void>;
}

export const say = async (person: Person, timelineId: string): Promise<Message> =>
  (await person.send('message:send', { timelineId, body: 'Hi' })).message;

/** Returns the id of a message deleted by its author. Without the right to send there, no message has the id. */
export async function saidAndDeleted(person: Person, timelineId: string): Promise<string> {
  const messageId = v7();
  const said = person.send('message:send', { timelineId, body: 'Oops', id: messageId });
  await said.then(() => person.send('message:delete', { messageId })).catch(() => undefined);
  return messageId;
}

const pictures = new WeakMap<Person, Map<PicturePurpose, Promise<string>>>();

/** Returns the id of an unfinished picture of this person, one for each purpose, because few may be unfinished. */
export function pictureOf(person: Person, purpose: PicturePurpose): Promise<string> {
  const known = pictures.get(person) ?? new Map<PicturePurpose, Promise<string>>();
  pictures.set(person, known);
  const begin = { purpose, name: 'a.png', size: 3 };
  const begun = known.get(purpose) ?? person.send('file:begin', begin).then(({ fileId }) => fileId);
  known.set(purpose, begun);
  return begun;
}

/** Uploads all bytes. Without the right to upload there, no file has the id. */
export async function uploaded(person: Person, place: { timelineId: string }) {
  const begun = await person
    .send('file:begin', { ...place, name: 'tea.png', size: 3 })
    .catch(() => ({ fileId: v7() }));
  const chunk = { fileId: begun.fileId, offset: 0, bytes: Buffer.from('tea') };
  await person.send('file:chunk', chunk).catch(() => undefined);
  return { fileId: begun.fileId };
}

/** Uploads a file that can be sent, if the person can upload there. */
export async function finished(person: Person, place: { timelineId: string }) {
  const { fileId } = await uploaded(person, place);
  await person.send('file:finish', { fileId }).catch(() => undefined);
  return { id: fileId };
}

export async function asked(from: Person, to: Person): Promise<{ requestId: string }> {
  const made = await from.send('friendRequest:create', { userId: to.id });
  if (!('friendRequest' in made)) throw new Error('they are friends');
  return { requestId: made.friendRequest.id };
}

/** Makes the two friends, even if requests or a friendship already exist. */
async function befriend(one: Person, other: Person): Promise<void> {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    await from.send('friendRequest:create', { userId: to.id }).catch(unlessConflict);
}

function unlessConflict(error: Error & { code?: string }) {
  if (error.code !== 'conflict') throw error;
}

async function converse(creator: Person, others: Person[], speaker: Person): Promise<Group> {
  const userIds = others.map(({ id }) => id);
  const { conversation } = await creator.send('conversation:create', { userIds });
  const theirs = await say(speaker, conversation.id);
  return { conversationId: conversation.id, own: theirs, theirs };
}

export async function castIn(app: TestApp): Promise<Cast> {
  const people = Array.from({ length: 5 }, () => app.person());
  const [founder, other, banned, hermit, stranger] = (await Promise.all(people)) as [
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  const instanceOwner = await app.owner();
  const colleague = await app.person();
  await instanceOwner.send('account:update', { userId: colleague.id, administrator: true });
  const { requestId } = await asked(stranger, banned);
  await asked(stranger, founder);
  const { friendship } = await founder.send('friendship:create', { userId: stranger.id });
  for (const { id } of (await hermit.send('server:list', {})).servers)
    await hermit.send('server:leave', { serverId: id });
  return {
    ...{ founder, other, banned, hermit, instanceOwner, colleague },
    newcomer: () => app.person(),
    closed: await converse(banned, [founder, other], other),
    closedPair: await converse(banned, [other], other),
    others: { requestId, friendshipId: friendship.id },
  };
}

const isIn = (kind: CallerKind, some: readonly CallerKind[]) => some.includes(kind);

export async function setScene(app: TestApp, kind: CallerKind, cast: Cast): Promise<Scene> {
  const { other, banned, hermit, closed, closedPair } = cast;
  const caller = await (kind === 'guest' ? app.guest() : app.person());
  if (kind === 'administrator')
    await cast.instanceOwner.send('account:update', { userId: caller.id, administrator: true });
  let made: { place?: Promise<SceneServer>; group?: Promise<Group>; pair?: Promise<Group> } = {};

  const openGroup = async () => {
    const wasIn = isIn(kind, grouped) || kind === 'ex-participant';
    if (!wasIn) return closed;
    const made = await (kind === 'founder of a group'
      ? converse(caller, [banned, other], other)
      : converse(banned, [caller, other], other));
    const own = await say(caller, made.conversationId);
    const out = { conversationId: made.conversationId, removeUserIds: [caller.id] };
    if (kind === 'ex-participant') await banned.send('conversation:update', out);
    return { ...made, own };
  };

  const openPair = async () => {
    if (!isIn(kind, paired)) return closedPair;
    const made = await converse(caller, [other], other);
    return { ...made, own: await say(caller, made.conversationId) };
  };

  let tied = false;
  const tie = async () => {
    if (tied) return;
    tied = true;
    if (kind === 'friend') for (const one of [other, hermit]) await befriend(caller, one);
    if (kind === 'blocked') await other.send('block:create', { userId: caller.id });
    if (kind === 'blocker') await caller.send('block:create', { userId: other.id });
  };

  /** Lifts the block, because across a block nothing new can be created. */
  const untie = async () => {
    if (!tied) return;
    tied = false;
    if (kind === 'blocked') await other.send('block:delete', { userId: caller.id });
    if (kind === 'blocker') await caller.send('block:delete', { userId: other.id });
  };

  const forget = async () => {
    const place = await made.place;
    made = {};
    if (place === undefined) return;
    // Keeps people below the limit of servers. The server can be gone by now, or owned by the caller.
    const which = { serverId: place.server.id };
    const owner = place.owner.socket.connected ? place.owner : other;
    await owner
      .send('server:delete', which)
      .catch(() => other.send('server:leave', which).catch(() => undefined));
  };

  return {
    ...cast,
    ...{ caller, kind, tie, forget },
    place: () => (made.place ??= untie().then(() => openPlace(kind, caller, cast))),
    group: () => (made.group ??= untie().then(openGroup)),
    pair: () => (made.pair ??= untie().then(openPair)),
    async close() {
      caller.close();
      await forget();
    },
  };
}

/** Creates a role without permissions. */
export const newRole = async ({ owner, server }: SceneServer): Promise<string> =>
  (await owner.send('role:create', { serverId: server.id, name: v7().slice(4) })).role.id;

/** Creates a role that opens a private channel. */
export async function openingRole(place: SceneServer, channelId: string): Promise<string> {
  const roleId = await newRole(place);
  await place.owner.send('channel:update', { channelId, viewerRoleIds: [roleId] });
  return roleId;
}

/** Gives a member a role with every permission that a role can grant. */
export async function giveRole(
  owner: Person,
  { serverId, userId }: { serverId: string; userId: string },
): Promise<string> {
  const made = { serverId, name: 'Helper', permissions: [...grantable] };
  const { role } = await owner.send('role:create', made);
  await owner.send('role:give', { serverId, userId, roleId: role.id });
  return role.id;
}

/** The caller owns the server if the kind is `owner`, else the founder. */
async function openPlace(kind: CallerKind, caller: Person, { founder, other, banned }: Cast) {
  const owner = kind === 'owner' ? caller : founder;
  const { server } = await owner.send('server:create', { name: 'Place' });
  const serverId = server.id;
  const { channel } = await owner.send('channel:create', { serverId, name: 'side' });
  const { code } = (await owner.send('invite:create', { serverId })).invite;
  await other.send('server:join', { code });
  const theirs = await say(other, channel.id);
  const isMember = isIn(kind, serverKinds);
  const wasMember = isMember || kind === 'ex-member';
  if (wasMember && kind !== 'owner') await caller.send('server:join', { code });
  const own = wasMember ? await say(caller, channel.id) : theirs;
  const it = { serverId, userId: caller.id };
  if (kind === 'moderator') await owner.send('member:update', { ...it, role: 'moderator' });
  if (kind === 'member with a role') await giveRole(owner, it);
  if (kind === 'ex-member') await caller.send('server:leave', { serverId });
  if (kind === 'owner of another server') await caller.send('server:create', { name: 'Else' });
  const conceal = async (people: Person[]) => {
    const userIds = people.map(({ id }) => id);
    const wanted = { serverId, name: 'secret', private: true, userIds };
    return (await owner.send('channel:create', wanted)).channel.id;
  };
  const categorize = async () =>
    (await owner.send('category:create', { serverId, name: 'Rooms' })).category.id;
  let announced: ReturnType<SceneServer['announced']> | undefined;
  const announce = async () => {
    const { channel } = await owner.send('channel:create', { serverId, name: 'news' });
    const { id: messageId } = await say(isMember ? caller : owner, channel.id);
    await owner.send('channel:update', { channelId: channel.id, announcements: true });
    return { timelineId: channel.id, messageId };
  };
  let [within, without, category]: (Promise<string> | undefined)[] = [];
  return {
    ...{ owner, server, code, own, theirs, channelId: channel.id },
    inside: () => (within ??= conceal(isMember ? [other, caller] : [other])),
    outside: () => (without ??= conceal([other])),
    announced: () => (announced ??= announce()),
    categoryId: () => (category ??= categorize()),
    async ban() {
      await banned.send('server:join', { code });
      await owner.send('ban:create', { serverId, userId: banned.id });
    },
  };
}
