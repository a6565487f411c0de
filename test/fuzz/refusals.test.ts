import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Contract } from '../../shared/contract.ts';
import type { SpecificCode } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { commands, type CommandName, type Input } from '../../shared/protocol.ts';
import { query } from '../../server/database/database.ts';
import { matrix } from '../permissions/matrix.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { storePicture } from '../support/files.ts';
import { addGroups } from '../support/full.ts';
import type { Person } from '../support/person.ts';

/** A refusal that depends on more than the caller, and so is not in the table of permissions. */
interface Refusal<C extends CommandName> {
  code: SpecificCode;
  because: (scene: Scene) => Promise<Input<C>> | Input<C>;
}

interface Scene {
  app: TestApp;
  ann: Person;
  ben: Person;
  /** Ann's server, and a channel in it. */
  serverId: string;
  channelId: string;
}

const serverOf = async ({ ben }: Scene) =>
  (await ben.send('server:create', { name: 'Ben’s' })).server;

const many = (count: number, work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, work));

const say = async (person: Person, timelineId: string) =>
  (await person.send('message:send', { timelineId, body: 'Hi' })).message.id;

const botOf = async (person: Person) => (await person.send('bot:create', { name: 'Echo' })).bot.id;

/** A friend request from Ben, who already has as many friends as the limit allows. */
async function askedByTheBusy({ app, ann, ben }: Scene): Promise<string> {
  await query(
    app.db,
    `with rooms as (
       insert into rooms (id, kind)
       select gen_random_uuid(), 'user' from generate_series(1, $2) returning id
     ), crowd as (
       insert into users (id, kind, display_name) select id, 'guest', 'Extra' from rooms returning id
     ) insert into friendships (id, user_id, friend_id, version)
       select gen_random_uuid(), $1, id, 0 from crowd`,
    [ben.id, quotas.friendsPerPerson],
  );
  const made = await ben.send('friendRequest:create', { userId: ann.id });
  return 'friendRequest' in made ? made.friendRequest.id : '';
}

const elsewhere: { [C in CommandName]?: Refusal<C>[] } = {
  'user:changePassword': [
    {
      code: 'forbidden',
      because: () => ({ current: 'a wrong password', next: 'another long password' }),
    },
  ],
  'account:reset': [
    {
      code: 'conflict',
      because: async ({ app, ann, ben }) => {
        await query(app.db, 'update users set administrator = true where id = $1', [ann.id]);
        await ann.send('account:update', { userId: ben.id, suspended: true });
        return { userId: ben.id };
      },
    },
  ],
  'account:update': [
    {
      code: 'conflict',
      because: async ({ app, ann }) => {
        await query(
          app.db,
          `update members set role = 'owner' where user_id = $1
             and server_id = (select value::uuid from settings where key = 'lobby_id')`,
          [ann.id],
        );
        return { userId: (await app.guest()).id, administrator: true };
      },
    },
  ],
  'instance:update': [
    {
      code: 'conflict',
      because: async ({ app, ann }) => {
        await query(app.db, 'update users set administrator = true where id = $1', [ann.id]);
        return { guests: 'closed' };
      },
    },
  ],
  'bot:create': [
    { code: 'conflict', because: async ({ ben }) => ({ name: 'Echo', id: await botOf(ben) }) },
  ],
  'bot:add': [
    {
      code: 'conflict',
      because: async ({ ben, serverId }) => ({ serverId, botId: await botOf(ben) }),
    },
  ],
  'server:create': [
    {
      code: 'conflict',
      because: async (scene) => ({ name: 'Mine', id: (await serverOf(scene)).id }),
    },
  ],
  'server:transfer': [
    { code: 'conflict', because: ({ ann, serverId }) => ({ serverId, userId: ann.id }) },
  ],
  'server:join': [
    { code: 'not_found', because: () => ({ code: 'thereisnone' }) },
    {
      code: 'conflict',
      because: async (scene) => {
        const { id: serverId } = await serverOf(scene);
        const { invite } = await scene.ben.send('invite:create', { serverId });
        const { servers } = await scene.ann.send('server:list', {});
        await many(quotas.serversPerPerson - servers.length, () =>
          scene.ann.send('server:create', { name: 'One of many' }),
        );
        return { code: invite.code };
      },
    },
  ],
  'joinRequest:create': [
    { code: 'not_found', because: () => ({ code: 'thereisnone' }) },
    {
      code: 'conflict',
      because: async (scene) => {
        const { id: serverId } = await serverOf(scene);
        const { invite } = await scene.ben.send('invite:create', { serverId });
        await scene.ben.send('invite:pause', { serverId, seconds: 60 });
        return { code: invite.code };
      },
    },
  ],
  'joinRequest:accept': [
    {
      code: 'conflict',
      because: async ({ ann, ben, serverId }) => {
        await ann.send('server:update', { serverId, approval: true });
        const { invite } = await ann.send('invite:create', { serverId });
        const { servers } = await ben.send('server:list', {});
        await ben.send('joinRequest:create', { code: invite.code });
        await many(quotas.serversPerPerson - servers.length, () =>
          ben.send('server:create', { name: 'One of many' }),
        );
        return { serverId, userId: ben.id };
      },
    },
  ],
  'invite:get': [{ code: 'not_found', because: () => ({ code: 'thereisnone' }) }],
  'invite:create': [
    {
      code: 'conflict',
      because: async ({ ann, serverId }) => {
        await many(quotas.invitesPerServer, () => ann.send('invite:create', { serverId }));
        return { serverId };
      },
    },
  ],
  'member:update': [
    {
      code: 'conflict',
      because: ({ ann, serverId }) => ({ serverId, userId: ann.id, role: 'member' }),
    },
  ],
  'member:timeOut': [
    {
      code: 'conflict',
      because: ({ ann, serverId }) => ({ serverId, userId: ann.id, seconds: 60 }),
    },
  ],
  'report:create': [
    {
      code: 'conflict',
      because: async ({ ann, channelId }) => ({
        messageId: await say(ann, channelId),
        kind: 'spam',
      }),
    },
  ],
  'member:remove': [
    { code: 'conflict', because: ({ ann, serverId }) => ({ serverId, userId: ann.id }) },
  ],
  'ban:create': [
    { code: 'conflict', because: ({ ann, serverId }) => ({ serverId, userId: ann.id }) },
  ],
  'category:create': [
    {
      code: 'conflict',
      because: async ({ ann, serverId }) => {
        const { category } = await ann.send('category:create', { serverId, name: 'One' });
        return { serverId, name: 'Two', id: category.id };
      },
    },
  ],
  'emoji:create': [
    {
      code: 'conflict',
      because: async ({ app, ann, serverId }) => {
        const next = () => storePicture(app.db, ann.id, 'emoji');
        await ann.send('emoji:create', { serverId, name: 'tea', fileId: await next() });
        return { serverId, name: 'tea', fileId: await next() };
      },
    },
  ],
  'role:create': [
    {
      code: 'conflict',
      because: async ({ ann, serverId }) => {
        await ann.send('role:create', { serverId, name: 'Helper' });
        return { serverId, name: 'helper' };
      },
    },
  ],
  'role:update': [
    {
      code: 'conflict',
      because: async ({ ann, serverId }) => {
        const { role } = await ann.send('role:create', { serverId, name: 'One' });
        await ann.send('role:create', { serverId, name: 'Two' });
        return { serverId, roleId: role.id, name: 'Two' };
      },
    },
  ],
  'role:give': [
    {
      code: 'conflict',
      because: async ({ app, ann, serverId }) => {
        const guest = await app.guest();
        const { invite } = await ann.send('invite:create', { serverId });
        await guest.send('server:join', { code: invite.code });
        const { role } = await ann.send('role:create', { serverId, name: 'Guests' });
        return { serverId, userId: guest.id, roleId: role.id };
      },
    },
  ],
  'channel:create': [
    {
      code: 'conflict',
      because: async (scene) => ({
        serverId: scene.serverId,
        name: 'two',
        id: (await serverOf(scene)).id,
      }),
    },
  ],
  'message:send': [
    {
      code: 'conflict',
      because: async (scene) => ({
        timelineId: scene.channelId,
        body: 'Something else',
        id: await say(scene.ben, (await serverOf(scene)).defaultChannelId),
      }),
    },
  ],
  'file:begin': [
    {
      code: 'conflict',
      because: async ({ ben, channelId: timelineId, ...scene }) => {
        const theirs = (await serverOf({ ben, ...scene, channelId: timelineId })).defaultChannelId;
        const begun = { name: 'tea.png', size: 3 };
        const { fileId: id } = await ben.send('file:begin', { ...begun, timelineId: theirs });
        return { ...begun, timelineId, id };
      },
    },
  ],
  'file:finish': [
    {
      code: 'conflict',
      because: ({ ann, channelId: timelineId }) =>
        ann.send('file:begin', { timelineId, name: 'tea.png', size: 3 }).then(({ fileId }) => ({
          fileId,
        })),
    },
    {
      code: 'forbidden',
      because: async ({ ann, ben }) => {
        const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
        const begun = { timelineId: conversation.id, name: 'tea.png', size: 3 };
        const { fileId } = await ann.send('file:begin', begun);
        await ben.send('block:create', { userId: ann.id });
        return { fileId };
      },
    },
  ],
  'friendship:create': [
    {
      code: 'conflict',
      because: async (scene) => {
        await askedByTheBusy(scene);
        return { userId: scene.ben.id };
      },
    },
  ],
  'friendRequest:update': [
    {
      code: 'conflict',
      because: async (scene) => ({ requestId: await askedByTheBusy(scene), status: 'accepted' }),
    },
  ],
  'conversation:create': [
    {
      code: 'conflict',
      because: async ({ app, ann, ben }) => {
        await addGroups(app, ben, quotas.messageRequestsPerPerson, ann.id);
        return { userIds: [ben.id] };
      },
    },
  ],
  'conversation:accept': [
    {
      code: 'conflict',
      because: async ({ app, ann, ben }) => {
        await addGroups(app, ann, quotas.conversationsPerPerson);
        const { conversation } = await ben.send('conversation:create', { userIds: [ann.id] });
        return { conversationId: conversation.id };
      },
    },
  ],
  'notification:set': [
    {
      code: 'conflict',
      because: async ({ app, ann, channelId }) => {
        // Ann is in as many of her own channels as can have notification settings.
        await query(
          app.db,
          `with made as (
             insert into rooms (id, kind)
             select gen_random_uuid(), 'timeline' from generate_series(1, $2) returning id
           ), talks as (
             insert into conversations (id, kind, creator_id) select id, 'group', $1 from made returning id
           ), places as (
             insert into participants (conversation_id, user_id, version) select id, $1, 0 from talks
           ) insert into notification_settings (user_id, target_id, level, version)
             select $1, id, 'nothing', 0 from made`,
          [ann.id, quotas.notificationSettings],
        );
        return { targetId: channelId, level: 'nothing' };
      },
    },
  ],
  'sidebar:place': [
    {
      code: 'conflict',
      because: async ({ app, ann, channelId }) => {
        // Ann is the owner of a server with as many channels as can be favourites.
        const { server } = await ann.send('server:create', { name: 'Full' });
        const ids = Array.from({ length: quotas.favouriteChannels }, () => v7());
        await query(
          app.db,
          `with made as (
             insert into rooms (id, kind) select unnest($2::uuid[]), 'timeline' returning id
           ), open as (
             insert into channels (id, server_id, name, folded_name, version, position)
             select id, $3, left(id::text, 8), left(id::text, 8), 0, row_number() over () + 1 from made
           ) insert into sidebar_lists (user_id, list, ids, version)
             values ($1, 'favourites', $2::uuid[], 0)`,
          [ann.id, ids, server.id],
        );
        return { list: 'favourites', targetId: channelId };
      },
    },
  ],
  'block:create': [{ code: 'not_found', because: () => ({ userId: v7() }) }],
};

const among = (name: CommandName) => (elsewhere[name] ?? []) as Refusal<CommandName>[];

describe('refusals', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_GUESTS: 'open' })));
  after(() => app.close());

  for (const name of Object.keys(commands) as CommandName[])
    for (const { code, because } of among(name))
      it(`${name}: ${code}`, async () => {
        const [ann, ben] = [await app.person(), await app.person()];
        const { server } = await ann.send('server:create', { name: 'Ann’s' });
        const { id: serverId, defaultChannelId: channelId } = server;
        const input = await because({ app, ann, ben, serverId, channelId });
        expect((await ann.expectError(name, input)).code).to.equal(code);
      });

  it('are exactly those that the contract of each command names', () => {
    for (const name of Object.keys(commands) as CommandName[]) {
      const { errors }: Contract = commands[name];
      const byCaller = matrix[name].flatMap(({ cells }) => Object.values(cells));
      const proven = new Set([...byCaller, ...among(name).map(({ code }) => code)]);
      proven.delete('allowed');
      expect([...errors].sort(), name).to.deep.equal([...proven].sort());
    }
  });
});
