import { inSecret, inServer, type RecipientCases, type TypeOf } from './recipients.ts';
import type { Gathering } from './gathering.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';

async function newEmoji(by: Person, serverId: string) {
  const { id: fileId } = await upload(by, { purpose: 'emoji' }, await picture().png().toBuffer());
  return (await by.send('emoji:create', { serverId, name: `e${fileId.slice(-8)}`, fileId })).emoji;
}

type Step = (gathering: Gathering) => Promise<unknown>;

/** Steps that return the id of the server, of a category, of a channel, and of the private channel. */
const inIt = (step: Step) => async (gathering: Gathering) => {
  await step(gathering);
  return gathering.server.id;
};
const toCategory = (step: Step) => async (gathering: Gathering) => {
  await step(gathering);
  return gathering.categoryId;
};
const toRole = (step: Step) => async (gathering: Gathering) => {
  await step(gathering);
  return gathering.roleId;
};
const toChannel = (step: Step) => async (gathering: Gathering) => {
  await step(gathering);
  return gathering.channelId;
};
const toSecret = (step: Step) => async (gathering: Gathering) => {
  await step(gathering);
  return gathering.secretId;
};

const join = inIt(({ people, code }) => people['non-member'].send('server:join', { code }));
const leave = inIt(({ people, server }) =>
  people.member.send('server:leave', { serverId: server.id }),
);
const expel = inIt(({ people, server }) =>
  people.moderator.send('member:remove', { serverId: server.id, userId: people.member.id }),
);
const open = toSecret(({ people, secretId }) =>
  people.owner.send('channel:update', { channelId: secretId, private: false }),
);
const takeOut = toSecret(({ people, secretId }) =>
  people.owner.send('channel:removeMember', { channelId: secretId, userId: people.member.id }),
);

/** Everyone in the server but the member, who receives the leave in their own list. */
const rest = inServer.filter((listener) => listener !== 'member');

/** In a large server, only the staff is listed. */
export const largeServerRecipients: RecipientCases<'member:unlisted'> = {
  'member:unlisted': [
    {
      act: inIt(({ people, server }) =>
        people.owner.send('member:update', {
          ...{ serverId: server.id, userId: people.moderator.id, role: 'member' },
        }),
      ),
      recipients: inServer,
    },
  ],
};

export const serverRecipients: RecipientCases<
  | TypeOf<'server' | 'privateChannel' | 'category' | 'emoji' | 'role' | 'channel'>
  | Exclude<TypeOf<'member'>, 'member:unlisted'>
> = {
  'server:joined': [{ act: join, recipients: ['non-member'], also: inServer, ends: 'server' }],
  'server:updated': [
    {
      act: inIt(({ people, server }) =>
        people.owner.send('server:update', { serverId: server.id, name: 'New' }),
      ),
      recipients: inServer,
    },
  ],
  'server:left': [{ act: leave, recipients: ['member'], also: inServer, ends: 'server' }],
  'server:removed': [{ act: expel, recipients: ['member'], also: inServer, ends: 'server' }],
  'server:deleted': [
    {
      act: inIt(({ people, server }) =>
        people.owner.send('server:delete', { serverId: server.id }),
      ),
      recipients: inServer,
      ends: 'server',
    },
  ],
  'member:joined': [{ act: join, recipients: inServer, also: ['non-member'], ends: 'server' }],
  'member:updated': [
    {
      act: inIt(({ people, server }) =>
        people.member.send('member:update', {
          ...{ serverId: server.id, userId: people.member.id, nickname: 'Nick' },
        }),
      ),
      recipients: inServer,
    },
  ],
  'member:left': [{ act: leave, recipients: rest, also: ['member'], ends: 'server' }],
  'member:removed': [{ act: expel, recipients: rest, also: ['member'], ends: 'server' }],
  'category:created': [
    {
      act: async ({ people, server }) =>
        (await people.moderator.send('category:create', { serverId: server.id, name: 'Halls' }))
          .category.id,
      recipients: inServer,
    },
  ],
  'category:updated': [
    {
      act: toCategory(({ people, categoryId }) =>
        people.moderator.send('category:update', { categoryId, name: 'New' }),
      ),
      recipients: inServer,
    },
  ],
  'category:deleted': [
    {
      act: toCategory(({ people, categoryId }) =>
        people.moderator.send('category:delete', { categoryId }),
      ),
      recipients: inServer,
      ends: 'server',
    },
  ],
  'emoji:created': [
    {
      act: async ({ people, server }) => (await newEmoji(people.moderator, server.id)).id,
      recipients: inServer,
    },
  ],
  'emoji:deleted': [
    {
      act: async ({ people, server }) => {
        const { id } = await newEmoji(people.moderator, server.id);
        await people.moderator.send('emoji:delete', { serverId: server.id, emojiId: id });
        return id;
      },
      recipients: inServer,
    },
  ],
  'role:created': [
    {
      act: async ({ people, server }) =>
        (await people.owner.send('role:create', { serverId: server.id, name: 'New' })).role.id,
      recipients: inServer,
    },
  ],
  'role:updated': [
    {
      act: toRole(({ people, server, roleId }) =>
        people.owner.send('role:update', { serverId: server.id, roleId, color: 'teal' }),
      ),
      recipients: inServer,
    },
  ],
  'role:deleted': [
    {
      act: toRole(({ people, server, roleId }) =>
        people.owner.send('role:delete', { serverId: server.id, roleId }),
      ),
      recipients: inServer,
      ends: 'server',
    },
  ],
  'channel:created': [
    {
      act: async ({ people, server }) =>
        (await people.moderator.send('channel:create', { serverId: server.id, name: 'new' }))
          .channel.id,
      recipients: inServer,
    },
  ],
  'channel:updated': [
    {
      act: toChannel(({ people, channelId }) =>
        people.moderator.send('channel:update', { channelId, topic: 'News' }),
      ),
      recipients: inServer,
    },
  ],
  'channel:closed': [
    {
      act: toChannel(({ people, channelId }) =>
        people.owner.send('channel:update', { channelId, private: true }),
      ),
      recipients: inServer,
      ends: 'server',
    },
  ],
  'channel:opened': [{ act: open, recipients: inServer, ends: 'server' }],
  'channel:deleted': [
    {
      act: toChannel(({ people, channelId }) =>
        people.moderator.send('channel:delete', { channelId }),
      ),
      recipients: inServer,
      ends: 'server',
    },
  ],
  'privateChannel:joined': [
    {
      what: 'by being let in',
      act: toSecret(({ people, secretId }) =>
        people.owner.send('channel:addMember', {
          ...{ channelId: secretId, userId: people.moderator.id },
        }),
      ),
      recipients: ['moderator'],
      also: inSecret,
      ends: 'server',
    },
    {
      what: 'by its being made',
      act: async ({ people, server }) => {
        const wanted = { name: 'hush', private: true, userIds: [people.member.id] };
        const made = await people.owner.send('channel:create', { serverId: server.id, ...wanted });
        return made.channel.id;
      },
      recipients: ['owner', 'member'],
    },
    {
      what: 'by its being closed to others',
      act: toChannel(({ people, channelId }) =>
        people.owner.send('channel:update', {
          ...{ channelId, private: true, userIds: [people.member.id] },
        }),
      ),
      recipients: ['owner', 'member'],
      also: inServer,
      ends: 'server',
    },
  ],
  'privateChannel:updated': [
    {
      act: toSecret(({ people, secretId }) =>
        people.owner.send('channel:update', { channelId: secretId, topic: 'Hush' }),
      ),
      recipients: inSecret,
    },
  ],
  'privateChannel:left': [
    {
      act: toSecret(({ people, secretId }) =>
        people.member.send('channel:removeMember', {
          ...{ channelId: secretId, userId: people.member.id },
        }),
      ),
      recipients: ['member'],
      also: inSecret,
      ends: 'server',
    },
  ],
  'privateChannel:removed': [
    { act: takeOut, recipients: ['member'], also: inSecret, ends: 'server' },
  ],
  'privateChannel:deleted': [
    {
      act: toSecret(({ people, secretId }) =>
        people.owner.send('channel:delete', { channelId: secretId }),
      ),
      recipients: inSecret,
      ends: 'server',
    },
  ],
  'privateChannel:opened': [{ act: open, recipients: inSecret, also: inServer, ends: 'server' }],
};
