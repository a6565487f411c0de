/**
 * Who may do what: every command × every kind of caller, each allowed cell run to success against real
 * data. A command without a row does not compile.
 */
import { expect } from 'chai';
import type { FailureCode } from '../shared/failure.ts';
import type { Message } from '../shared/messages.ts';
import { commands, type CommandName, type Input } from '../shared/protocol.ts';
import type { Server } from '../shared/servers.ts';
import { startApp, type TestApp } from './support/app.ts';
import { openSocket, type Person } from './support/person.ts';

const kinds = [
  'guest',
  'non-member',
  'member',
  'ex-member',
  'moderator',
  'owner',
  'owner of another server',
  // In no server but in a group; of one that somebody else or that they themselves started.
  'participant',
  'ex-participant',
  'founder of a group',
] as const;
type Kind = (typeof kinds)[number];

/** A conversation of the victim and others, and what was said there. */
interface Group {
  conversationId: string;
  /** The caller's own message, of those who ever could write one; else the victim's. */
  own: Message;
  theirs: Message;
}

/** A server with somebody of the kind in question beside it, new for each cell. */
interface Scene {
  caller: Person;
  owner: Person;
  victim: Person;
  banned: Person;
  server: Server;
  channelId: string;
  categoryId: string;
  /** Makes a private channel with the caller (if they could be in it) and the victim, or one without the caller. */
  inside: () => Promise<string>;
  outside: () => Promise<string>;
  code: string;
  /** What two others are to each other. */
  others: { requestId: string; friendshipId: string };
  /** The caller's own message, of those who ever could write one; else the victim's. */
  own: Message;
  theirs: Message;
  say: (person: Person, timelineId: string) => Promise<Message>;
  group: Group;
}

interface Row<C extends CommandName> {
  what?: string;
  input: (scene: Scene) => Input<C> | Promise<Input<C>>;
  /**
   * One letter a kind, in their order: + allowed, f forbidden, n not_found, c conflict. Where no group is
   * concerned, those who are only in one are non-members, and need no letter. What no server
   * has a part in has two letters: a guest, and who is registered.
   */
  cells: string;
}

const meanings: Record<string, FailureCode> = { f: 'forbidden', n: 'not_found', c: 'conflict' };
const [everyone, insiders, keepers, ownerOnly] = ['+++++++', '+n+n++n', 'fnfn++n', 'fnfnf+n'];
/** In a private channel whose members are the victim and the owner: a role in the server is worth nothing. */
const hidden = { what: 'in a private channel without oneself', cells: 'nnnnn+n' };
const notAuthor = { ...hidden, cells: 'nnnnnfn' };
/** Those in a group, and what none of them may. */
const [talkers, keptFrom] = ['nnnnnnn+n+', 'nnnnnnnfnf'];
const groupOnly = ({ group: { conversationId } }: Scene) => ({ conversationId });
const serverOnly = ({ server }: Scene) => ({ serverId: server.id });
const onVictim = ({ server, victim }: Scene) => ({ serverId: server.id, userId: victim.id });

/** Said by the victim in a private channel without the caller. */
const saidOutside = async ({ victim, outside, say }: Scene) =>
  (await say(victim, await outside())).id;

async function botOf(owner: Person): Promise<string> {
  const [known] = (await owner.send('bot:list', {})).bots;
  return (known ?? (await owner.send('bot:create', { name: 'Echo' })).bot).id;
}

/** Of one's own bot and of somebody else's: it is as if that one were not. */
function anotherBot<C extends CommandName>(input: (bot: { botId: string }) => Input<C>): Row<C>[] {
  return [
    {
      what: 'one’s own',
      input: async ({ caller, victim }) =>
        input({ botId: await botOf(caller.user.kind === 'guest' ? victim : caller) }),
      cells: 'n++++++',
    },
    {
      what: 'another’s',
      input: async ({ victim }) => input({ botId: await botOf(victim) }),
      cells: 'nnnnnnn',
    },
  ];
}

/** What one person asked the other, or what came of it already. */
async function asked(from: Person, to: Person): Promise<{ requestId: string }> {
  const made = await from.send('friendRequest:create', { userId: to.id });
  if (!('friendRequest' in made)) throw new Error('they are friends');
  return { requestId: made.friendRequest.id };
}

/** The caller's own request; a guest, who has none, names somebody else's. */
const askedByMe = ({ caller, victim, others: { requestId } }: Scene) =>
  caller.user.kind === 'guest' ? { requestId } : asked(caller, victim);
const askedOfMe = ({ caller, victim }: Scene) => asked(victim, caller);

async function friendsWithMe(scene: Scene): Promise<{ friendshipId: string }> {
  await askedOfMe(scene);
  const userId = scene.victim.id;
  const { friendship } = await scene.caller.send('friendship:create', { userId });
  return { friendshipId: friendship.id };
}

/** Before it: the caller and the victim are this to each other. */
const once =
  (first: (scene: Scene) => Promise<unknown>) =>
  async (scene: Scene): Promise<{ userId: string }> => {
    await first(scene);
    return { userId: scene.victim.id };
  };
const isBlocked = ({ caller, victim }: Scene) => victim.send('block:create', { userId: caller.id });
const isBlocking = ({ caller, victim }: Scene) =>
  caller.send('block:create', { userId: victim.id });
const strangers = () => Promise.resolve();

const matrix: { [C in CommandName]: Row<C>[] } = {
  'session:logout': [{ input: () => ({}), cells: everyone }],
  'session:list': [{ input: () => ({}), cells: everyone }],
  'session:revoke': [
    {
      input: async ({ caller }) => ({ sessionId: await sessionOf(caller) }),
      cells: everyone,
    },
    {
      what: 'somebody else’s',
      input: async ({ victim }) => ({ sessionId: await sessionOf(victim) }),
      cells: 'nnnnnnn',
    },
  ],
  'user:search': [{ input: () => ({ query: 'Ann' }), cells: 'f+' }],
  'user:update': [{ input: () => ({ displayName: 'Another' }), cells: everyone }],
  'user:changePassword': [
    {
      input: ({ caller }) => ({
        current: `the password of ${caller.user.username}`,
        next: 'another long password',
      }),
      cells: 'c++++++',
    },
  ],
  'bot:create': [{ input: () => ({ name: 'Echo' }), cells: 'f++++++' }],
  'bot:list': [{ input: () => ({}), cells: everyone }],
  'bot:update': anotherBot(({ botId }) => ({ botId, name: 'Mine now' })),
  'bot:rotate': anotherBot(({ botId }) => ({ botId })),
  'bot:delete': anotherBot(({ botId }) => ({ botId })),
  'bot:add': [
    {
      input: async ({ server, victim }) => ({
        serverId: server.id,
        botId: await botOf(victim),
      }),
      cells: ownerOnly,
    },
  ],
  'presence:set': [{ input: () => ({ status: 'dnd' }), cells: everyone }],
  'presence:update': [{ input: () => ({ active: false }), cells: everyone }],
  'typing:set': [{ input: ({ channelId }) => ({ timelineId: channelId }), cells: insiders }],
  'friendRequest:create': [
    { what: 'to a stranger', input: once(strangers), cells: 'f+' },
    { what: 'to who has asked', input: once(askedOfMe), cells: 'f+' },
    { what: 'to a friend', input: once(friendsWithMe), cells: 'fc' },
    { what: 'to who blocks one', input: once(isBlocked), cells: 'fn' },
    { what: 'to whom one blocks', input: once(isBlocking), cells: 'fc' },
  ],
  'friendRequest:list': [{ input: () => ({}), cells: '++' }],
  'friendRequest:update': [
    {
      what: 'accepting what one was asked',
      input: async (scene) => ({ ...(await askedOfMe(scene)), status: 'accepted' as const }),
      cells: '++',
    },
    {
      what: 'declining what one was asked',
      input: async (scene) => ({ ...(await askedOfMe(scene)), status: 'declined' as const }),
      cells: '++',
    },
    {
      what: 'accepting one’s own',
      input: async (scene) => ({ ...(await askedByMe(scene)), status: 'accepted' as const }),
      cells: 'nf',
    },
    {
      what: 'accepting another’s',
      input: ({ others }) => ({ requestId: others.requestId, status: 'accepted' as const }),
      cells: 'nn',
    },
    {
      what: 'note of one’s own',
      input: async (scene) => ({ ...(await askedByMe(scene)), note: 'Hello' }),
      cells: 'n+',
    },
    {
      what: 'note of what one was asked',
      input: async (scene) => ({ ...(await askedOfMe(scene)), note: 'Hello' }),
      cells: 'ff',
    },
  ],
  'friendRequest:delete': [
    { what: 'one’s own', input: askedByMe, cells: 'n+' },
    { what: 'what one was asked', input: askedOfMe, cells: 'ff' },
    {
      what: 'another’s',
      input: ({ others: { requestId } }) => ({ requestId }),
      cells: 'nn',
    },
  ],
  'friendship:list': [{ input: () => ({}), cells: '++' }],
  'friendship:create': [
    { what: 'with who has asked', input: once(askedOfMe), cells: '++' },
    { what: 'with who has not', input: once(strangers), cells: 'nn' },
    { what: 'with who blocks one', input: once(isBlocked), cells: 'nn' },
  ],
  'friendship:update': [
    {
      what: 'one’s own',
      input: async (scene) => ({ ...(await friendsWithMe(scene)), nickname: 'Nick' }),
      cells: '++',
    },
    {
      what: 'another’s',
      input: ({ others }) => ({ friendshipId: others.friendshipId, nickname: 'Nick' }),
      cells: 'nn',
    },
  ],
  'friendship:delete': [
    { what: 'one’s own', input: friendsWithMe, cells: '++' },
    {
      what: 'another’s',
      input: ({ others: { friendshipId } }) => ({ friendshipId }),
      cells: 'nn',
    },
  ],
  'block:create': [
    { what: 'of a stranger', input: once(strangers), cells: '++' },
    { what: 'of a friend', input: once(friendsWithMe), cells: '++' },
    { what: 'of who blocks one', input: once(isBlocked), cells: '++' },
    { what: 'of oneself', input: ({ caller }) => ({ userId: caller.id }), cells: 'cc' },
  ],
  'block:list': [{ input: () => ({}), cells: '++' }],
  'block:delete': [
    { what: 'one’s own', input: once(isBlocking), cells: '++' },
    { what: 'another’s', input: once(isBlocked), cells: 'nn' },
  ],
  'server:create': [{ input: () => ({ name: 'Mine' }), cells: 'f++++++' }],
  'server:list': [{ input: () => ({}), cells: everyone }],
  'server:open': [{ input: serverOnly, cells: insiders }],
  'server:update': [
    {
      what: 'name',
      input: ({ server }) => ({ serverId: server.id, name: 'New' }),
      cells: ownerOnly,
    },
    {
      what: 'default channel',
      input: ({ server, channelId }) => ({ serverId: server.id, defaultChannelId: channelId }),
      cells: ownerOnly,
    },
    {
      what: 'default channel, a private one',
      input: async ({ server, inside }) => ({
        serverId: server.id,
        defaultChannelId: await inside(),
      }),
      cells: 'fnfnfcn',
    },
  ],
  'server:transfer': [{ input: onVictim, cells: ownerOnly }],
  'server:delete': [{ input: serverOnly, cells: ownerOnly }],
  'server:join': [{ input: ({ code }) => ({ code }), cells: everyone }],
  'server:leave': [{ input: serverOnly, cells: '+n+n+cn' }],
  'invite:create': [{ input: serverOnly, cells: 'fn+n++n' }],
  'invite:list': [{ input: serverOnly, cells: keepers }],
  'invite:get': [{ input: ({ code }) => ({ code }), cells: everyone }],
  'invite:delete': [{ what: 'another’s', input: ({ code }) => ({ code }), cells: 'fnfn++n' }],
  'member:list': [{ input: serverOnly, cells: insiders }],
  'member:update': [
    {
      what: 'own nickname',
      input: ({ server, caller }) => ({ serverId: server.id, userId: caller.id, nickname: 'Nick' }),
      cells: insiders,
    },
    {
      what: 'another’s nickname',
      input: (scene) => ({ ...onVictim(scene), nickname: 'Nick' }),
      cells: keepers,
    },
    {
      what: 'role',
      input: (scene) => ({ ...onVictim(scene), role: 'moderator' as const }),
      cells: ownerOnly,
    },
  ],
  'member:remove': [{ input: onVictim, cells: keepers }],
  'ban:create': [{ input: onVictim, cells: keepers }],
  'ban:list': [{ input: serverOnly, cells: keepers }],
  'ban:delete': [
    {
      input: ({ server, banned }) => ({ serverId: server.id, userId: banned.id }),
      cells: keepers,
    },
  ],
  'category:create': [
    { input: ({ server }) => ({ serverId: server.id, name: 'Rooms' }), cells: keepers },
  ],
  'category:list': [{ input: serverOnly, cells: insiders }],
  'category:update': [
    { what: 'name', input: ({ categoryId }) => ({ categoryId, name: 'New' }), cells: keepers },
    { what: 'place', input: ({ categoryId }) => ({ categoryId, position: 1 }), cells: keepers },
  ],
  'category:delete': [{ input: ({ categoryId }) => ({ categoryId }), cells: keepers }],
  'channel:create': [
    { input: ({ server }) => ({ serverId: server.id, name: 'new' }), cells: keepers },
    {
      what: 'private',
      input: ({ server, victim }) => ({
        serverId: server.id,
        name: 'new',
        private: true,
        userIds: [victim.id],
      }),
      cells: keepers,
    },
  ],
  'channel:update': [
    { input: ({ channelId }) => ({ channelId, topic: 'News' }), cells: keepers },
    {
      what: 'place',
      input: ({ channelId, categoryId }) => ({ channelId, categoryId, position: 1 }),
      cells: keepers,
    },
    {
      what: 'private',
      input: ({ channelId }) => ({ channelId, private: true }),
      cells: keepers,
    },
    {
      what: 'private, the default one',
      input: ({ server }) => ({ channelId: server.defaultChannelId, private: true }),
      cells: 'fnfnccn',
    },
    {
      what: 'public',
      input: async ({ inside }) => ({ channelId: await inside(), private: false }),
      cells: keepers,
    },
    { ...hidden, input: async ({ outside }) => ({ channelId: await outside(), private: false }) },
  ],
  'channel:addMember': [
    {
      input: async ({ inside, victim }) => ({ channelId: await inside(), userId: victim.id }),
      cells: keepers,
    },
    {
      what: 'to one that all see',
      input: ({ channelId, victim }) => ({ channelId, userId: victim.id }),
      cells: 'fnfnccn',
    },
    {
      ...hidden,
      input: async ({ outside, caller }) => ({ channelId: await outside(), userId: caller.id }),
    },
  ],
  'channel:removeMember': [
    {
      input: async ({ inside, victim }) => ({ channelId: await inside(), userId: victim.id }),
      cells: keepers,
    },
    {
      what: 'oneself',
      input: async ({ inside, caller }) => ({ channelId: await inside(), userId: caller.id }),
      cells: '+n+n+cn',
    },
    {
      ...hidden,
      input: async ({ outside, victim }) => ({ channelId: await outside(), userId: victim.id }),
    },
  ],
  'channel:delete': [
    { input: ({ channelId }) => ({ channelId }), cells: keepers },
    { ...hidden, input: async ({ outside }) => ({ channelId: await outside() }) },
    {
      what: 'the default one',
      input: ({ server }) => ({ channelId: server.defaultChannelId }),
      cells: 'fnfnccn',
    },
  ],
  'channel:join': [
    { input: ({ channelId }) => ({ channelId }), cells: insiders },
    {
      what: 'a private one',
      input: async ({ inside }) => ({ channelId: await inside() }),
      cells: insiders,
    },
    { ...hidden, input: async ({ outside }) => ({ channelId: await outside() }) },
  ],
  'channel:leave': [
    { input: ({ channelId }) => ({ channelId }), cells: insiders },
    { ...hidden, input: async ({ outside }) => ({ channelId: await outside() }) },
  ],
  'conversation:create': [
    { what: 'with one', input: ({ victim }) => ({ userIds: [victim.id] }), cells: everyone },
    {
      what: 'with some',
      input: ({ victim, banned }) => ({ userIds: [victim.id, banned.id] }),
      cells: everyone,
    },
    {
      what: 'with nobody there is',
      input: () => ({ userIds: ['01900000-0000-7000-8000-000000000000'] }),
      cells: 'nnnnnnn',
    },
  ],
  'conversation:list': [{ input: () => ({}), cells: everyone }],
  'conversation:open': [{ input: groupOnly, cells: talkers }],
  'conversation:close': [{ input: groupOnly, cells: talkers }],
  'conversation:update': [
    { what: 'name', input: (scene) => ({ ...groupOnly(scene), name: 'Us' }), cells: talkers },
    {
      what: 'somebody in',
      input: (scene) => ({ ...groupOnly(scene), addUserIds: [scene.owner.id] }),
      cells: talkers,
    },
    {
      what: 'somebody out',
      input: (scene) => ({ ...groupOnly(scene), removeUserIds: [scene.victim.id] }),
      cells: 'nnnnnnnfn+',
    },
  ],
  'conversation:delete': [{ input: groupOnly, cells: talkers }],
  'message:send': [
    {
      what: 'in a group',
      input: ({ group }) => ({ timelineId: group.conversationId, body: 'Hello' }),
      cells: talkers,
    },
    { input: ({ channelId }) => ({ timelineId: channelId, body: 'Hello' }), cells: insiders },
    {
      what: 'in a private channel',
      input: async ({ inside }) => ({ timelineId: await inside(), body: 'Hello' }),
      cells: insiders,
    },
    { ...hidden, input: async ({ outside }) => ({ timelineId: await outside(), body: 'Hello' }) },
  ],
  'message:edit': [
    {
      what: 'own, in a group',
      input: ({ group }) => ({ messageId: group.own.id, body: 'New' }),
      cells: talkers,
    },
    {
      what: 'another’s, in a group',
      input: ({ group }) => ({ messageId: group.theirs.id, body: 'New' }),
      cells: keptFrom,
    },
    { what: 'own', input: ({ own }) => ({ messageId: own.id, body: 'New' }), cells: insiders },
    {
      what: 'another’s',
      input: ({ theirs }) => ({ messageId: theirs.id, body: 'New' }),
      cells: 'fnfnffn',
    },
    {
      ...notAuthor,
      input: async (scene) => ({ messageId: await saidOutside(scene), body: 'New' }),
    },
  ],
  'message:delete': [
    {
      what: 'own, in a group',
      input: ({ group }) => ({ messageId: group.own.id }),
      cells: talkers,
    },
    {
      what: 'another’s, in a group',
      input: ({ group }) => ({ messageId: group.theirs.id }),
      cells: keptFrom,
    },
    { what: 'own', input: ({ own }) => ({ messageId: own.id }), cells: insiders },
    { what: 'another’s', input: ({ theirs }) => ({ messageId: theirs.id }), cells: keepers },
    { ...hidden, input: async (scene) => ({ messageId: await saidOutside(scene) }) },
  ],
  'read:update': [
    {
      what: 'in a group',
      input: ({ group }) => ({ timelineId: group.conversationId, position: 1 }),
      cells: talkers,
    },
    { input: ({ channelId }) => ({ timelineId: channelId, position: 1 }), cells: insiders },
    { ...hidden, input: async ({ outside }) => ({ timelineId: await outside(), position: 1 }) },
  ],
  // What may not be seen is answered as gone, room by room: test/sync.test.ts.
  sync: [{ input: ({ caller }) => ({ epoch: caller.ready.epoch, rooms: {} }), cells: everyone }],
  'message:list': [
    { input: ({ channelId }) => ({ timelineId: channelId }), cells: insiders },
    { ...hidden, input: async ({ outside }) => ({ timelineId: await outside() }) },
    {
      what: 'of a group',
      input: ({ group }) => ({ timelineId: group.conversationId }),
      cells: talkers,
    },
  ],
};

/** A command, what it is to do with something hidden, and the same with nothing at all. */
type Pair = readonly [CommandName, Input<CommandName>, Input<CommandName>];

async function sessionOf(person: Person): Promise<string> {
  const { sessions } = await person.send('session:list', {});
  return sessions.find(({ current }) => current)?.id ?? '';
}

describe('permissions', () => {
  let app: TestApp;
  let founder: Person;
  let victim: Person;
  let banned: Person;
  /** Nobody else is in it. */
  let closed: Group;
  let others: Scene['others'];

  before(async () => {
    app = await startApp();
    [founder, victim, banned] = await Promise.all([app.person(), app.person(), app.person()]);
    closed = await openGroup(banned, [founder, victim]);
    const bystander = await app.person();
    const { requestId } = await asked(bystander, banned);
    await asked(bystander, founder);
    const made = await founder.send('friendship:create', { userId: bystander.id });
    others = { requestId, friendshipId: made.friendship.id };
  });
  after(() => app.close());

  const say = async (person: Person, timelineId: string) =>
    (await person.send('message:send', { timelineId, body: 'Hi' })).message;

  async function openGroup(creator: Person, others: Person[]): Promise<Group> {
    const userIds = others.map(({ id }) => id);
    const { conversation } = await creator.send('conversation:create', { userIds });
    const theirs = await say(victim, conversation.id);
    return { conversationId: conversation.id, own: theirs, theirs };
  }

  async function groupFor(kind: Kind, caller: Person): Promise<Group> {
    if (!['participant', 'ex-participant', 'founder of a group'].includes(kind)) return closed;
    const group = await (kind === 'founder of a group'
      ? openGroup(caller, [banned, victim])
      : openGroup(banned, [caller, victim]));
    const { conversationId } = group;
    const own = await say(caller, conversationId);
    const out = { conversationId, removeUserIds: [caller.id] };
    if (kind === 'ex-participant') await banned.send('conversation:update', out);
    return { ...group, own };
  }

  /** Sets the scene for one cell: the server is the caller's own if that is the kind, else the founder's. */
  async function setScene(kind: Kind): Promise<Scene> {
    const caller = await (kind === 'guest' ? app.guest() : app.person());
    const owner = kind === 'owner' ? caller : founder;
    const { server } = await owner.send('server:create', { name: 'Place' });
    const { channel } = await owner.send('channel:create', { serverId: server.id, name: 'side' });
    const where = { serverId: server.id, name: 'Rooms' };
    const { category } = await owner.send('category:create', where);
    const { invite } = await owner.send('invite:create', { serverId: server.id });
    const { code } = invite;
    for (const person of [victim, banned]) await person.send('server:join', { code });
    await owner.send('ban:create', { serverId: server.id, userId: banned.id });
    const theirs = await say(victim, channel.id);
    const insider = ['guest', 'member', 'ex-member', 'moderator'].includes(kind);
    if (insider) await caller.send('server:join', { code });
    const own = insider || kind === 'owner' ? await say(caller, channel.id) : theirs;
    const it = { serverId: server.id, userId: caller.id };
    const conceal = async (userIds: string[]) =>
      (
        await owner.send('channel:create', {
          serverId: server.id,
          name: 'secret',
          private: true,
          userIds,
        })
      ).channel.id;
    if (kind === 'moderator') await owner.send('member:update', { ...it, role: 'moderator' });
    if (kind === 'ex-member') await caller.send('server:leave', { serverId: server.id });
    if (kind === 'owner of another server') await caller.send('server:create', { name: 'Else' });
    const isIn = insider && kind !== 'ex-member';
    const inside = () => conceal(isIn ? [victim.id, caller.id] : [victim.id]);
    const outside = () => conceal([victim.id]);
    const ids = { channelId: channel.id, categoryId: category.id };
    const said = { own, theirs, say, group: await groupFor(kind, caller) };
    const places = { server, ...ids, inside, outside, code };
    return { caller, owner, victim, banned, others, ...places, ...said };
  }

  async function tryCell(name: CommandName, row: Row<CommandName>, kind: Kind, cell: string) {
    const scene = await setScene(kind);
    const input = await row.input(scene);
    const expected = meanings[cell];
    if (expected === undefined) await scene.caller.send(name, input);
    else expect((await scene.caller.fails(name, input)).code, kind).to.equal(expected);
    scene.caller.close();
    const which = { serverId: scene.server.id };
    // So that neither the founder nor the victim is ever in too many. The victim may be out, or own it by now.
    if (kind === 'owner') await victim.send('server:leave', which).catch(() => undefined);
    else if (name !== 'server:delete') await founder.send('server:delete', which);
  }

  for (const name of Object.keys(commands) as CommandName[]) {
    for (const row of matrix[name] as Row<CommandName>[]) {
      it([name, row.what].filter(Boolean).join(': '), async () => {
        await Promise.all([...row.cells].map((cell, i) => tryCell(name, row, kinds[i]!, cell)));
      });
    }
  }

  it('nobody gets no answer to any command, and is told to sign in', async () => {
    for (const name of Object.keys(commands) as CommandName[]) {
      const socket = openSocket(app.url, undefined);
      let answered = false;
      socket.emit(name, {}, () => {
        answered = true;
      });
      const error = await new Promise<Error & { data?: { code: string } }>((resolve) => {
        socket.once('connect_error', resolve);
      });
      expect(error.data?.code).to.equal('unauthenticated');
      expect(answered).to.equal(false);
      socket.disconnect();
    }
  });

  it('what one may not see looks like what is not there', async () => {
    const { caller, server, channelId, categoryId, theirs, group } = await setScene('non-member');
    const moderator = await setScene('moderator');
    const nothing = '01900000-0000-7000-8000-000000000000';
    const pairs = [
      ['server:open', { serverId: server.id }, { serverId: nothing }],
      ['category:list', { serverId: server.id }, { serverId: nothing }],
      ['category:delete', { categoryId }, { categoryId: nothing }],
      ['channel:join', { channelId }, { channelId: nothing }],
      ['message:list', { timelineId: channelId }, { timelineId: nothing }],
      ['message:list', { timelineId: group.conversationId }, { timelineId: nothing }],
      ['conversation:open', { conversationId: group.conversationId }, { conversationId: nothing }],
      ['message:edit', { messageId: theirs.id, body: 'x' }, { messageId: nothing, body: 'x' }],
      ['friendRequest:delete', { requestId: others.requestId }, { requestId: nothing }],
      ['friendship:delete', { friendshipId: others.friendshipId }, { friendshipId: nothing }],
    ] as const;
    const outsideId = await moderator.outside();
    const hidden = await moderator.say(victim, outsideId);
    const concealed = [
      ['channel:join', { channelId: outsideId }, { channelId: nothing }],
      ['channel:update', { channelId: outsideId, name: 'x' }, { channelId: nothing, name: 'x' }],
      ['message:list', { timelineId: outsideId }, { timelineId: nothing }],
      ['message:delete', { messageId: hidden.id }, { messageId: nothing }],
    ] as const;
    const alike = async (person: Person, [name, there, absent]: Pair) => {
      const [toThere, toAbsent] = [
        await person.fails(name, there),
        await person.fails(name, absent),
      ];
      expect({ ...toThere, requestId: '' }, name).to.deep.equal({ ...toAbsent, requestId: '' });
    };
    for (const pair of pairs) await alike(caller, pair);
    for (const pair of concealed) await alike(moderator.caller, pair);
  });
});
