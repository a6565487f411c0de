import type { CommandName } from '../../shared/protocol.ts';
import type { GatewayRequest, GatewayFixture } from './fixture.ts';

const newChannel = async ({ ann, serverId }: GatewayFixture) =>
  (await ann.send('channel:create', { serverId, name: 'aside' })).channel.id;
const newCategory = async ({ ann, serverId }: GatewayFixture) => ({
  categoryId: (await ann.send('category:create', { serverId, name: 'Rooms' })).category.id,
});
const newServer = async ({ ann }: GatewayFixture) =>
  (await ann.send('server:create', { name: 'Else' })).server.id;

const newAsker = async ({ app, ann }: GatewayFixture) => {
  const asker = await app.person();
  await asker.send('friendRequest:create', { userId: ann.id });
  asker.close();
  return asker.id;
};
const requestWith = async ({ ann }: GatewayFixture, userId: string) => {
  const { friendRequests } = await ann.send('friendRequest:list', {});
  const known = friendRequests.find((one) => [one.senderId, one.recipientId].includes(userId));
  return { requestId: known!.id };
};
const newRequest = async (house: GatewayFixture) => {
  const { ann, absentee } = house;
  await ann.send('friendRequest:create', { userId: absentee });
  return requestWith(house, absentee);
};
const newFriendship = async (house: GatewayFixture) => {
  const userId = await newAsker(house);
  return (await house.ann.send('friendship:create', { userId })).friendship.id;
};

const newGroup = async ({ app, ann, ben }: GatewayFixture) => {
  const userIds = [ben.id, (await app.person()).id];
  return (await ann.send('conversation:create', { userIds })).conversation.id;
};

/** Every command by HTTP: its status on success, a request that succeeds, and the index of its route. */
export const successes: [
  CommandName,
  number,
  (house: GatewayFixture) => Promise<GatewayRequest>,
  route?: number,
][] = [
  ['server:list', 200, async () => ({})],
  ['server:create', 201, async () => ({ body: { name: 'New' } })],
  ['server:open', 200, async ({ serverId }) => ({ path: { serverId } })],
  [
    'server:update',
    200,
    async ({ serverId }) => ({ path: { serverId }, body: { name: 'Ours still' } }),
  ],
  ['server:delete', 204, async (house) => ({ path: { serverId: await newServer(house) } })],
  ['member:list', 200, async ({ serverId }) => ({ path: { serverId }, query: 'limit=1' })],
  ['member:search', 200, async () => ({ query: 'query=2026&limit=5' })],
  ['category:create', 201, async ({ serverId }) => ({ path: { serverId }, body: { name: 'New' } })],
  ['category:list', 200, async ({ serverId }) => ({ path: { serverId } })],
  [
    'category:update',
    200,
    async (house) => ({ path: await newCategory(house), body: { position: 1 } }),
  ],
  ['category:delete', 204, async (house) => ({ path: await newCategory(house) })],
  ['channel:search', 200, async () => ({ query: 'query=2026&limit=5' })],
  ['channel:create', 201, async ({ serverId }) => ({ path: { serverId }, body: { name: 'new' } })],
  [
    'channel:update',
    200,
    async ({ channelId }) => ({ path: { channelId }, body: { topic: 'All of it' } }),
  ],
  ['channel:delete', 204, async (house) => ({ path: { channelId: await newChannel(house) } })],
  [
    'message:send',
    201,
    async ({ channelId }) => ({ body: { timelineId: channelId, body: 'By HTTP' } }),
  ],
  [
    'message:list',
    200,
    async ({ channelId }) => ({ path: { timelineId: channelId }, query: 'before=9&limit=2' }),
  ],
  [
    'message:edit',
    200,
    async ({ say }) => ({ path: { messageId: await say('helo') }, body: { body: 'hello' } }),
  ],
  ['message:delete', 204, async ({ say }) => ({ path: { messageId: await say('a slip') } })],
  ['message:search', 200, async () => ({ query: 'query=hello&limit=5' })],
  ['user:search', 200, async () => ({ query: 'query=2026&limit=5' })],
  [
    'friendRequest:create',
    201,
    async ({ absentee }) => ({ body: { userId: absentee, note: 'Hi' } }),
  ],
  ['friendRequest:list', 200, async () => ({})],
  [
    'friendRequest:update',
    200,
    async (house) => ({
      path: await requestWith(house, await newAsker(house)),
      body: { status: 'accepted' },
    }),
  ],
  ['friendRequest:delete', 204, async (house) => ({ path: await newRequest(house) })],
  ['friendship:list', 200, async () => ({})],
  ['friendship:create', 201, async (house) => ({ body: { userId: await newAsker(house) } })],
  [
    'friendship:update',
    200,
    async (house) => ({
      path: { friendshipId: await newFriendship(house) },
      body: { nickname: 'Nick' },
    }),
  ],
  [
    'friendship:delete',
    204,
    async (house) => ({ path: { friendshipId: await newFriendship(house) } }),
  ],
  ['conversation:list', 200, async () => ({})],
  ['conversation:create', 201, async ({ ben }) => ({ body: { userIds: [ben.id] } })],
  [
    'conversation:open',
    200,
    async (house) => ({ path: { conversationId: await newGroup(house) } }),
  ],
  [
    'conversation:update',
    200,
    async (house) => ({ path: { conversationId: await newGroup(house) }, body: { name: 'Us' } }),
  ],
  [
    'conversation:delete',
    204,
    async (house) => ({ path: { conversationId: await newGroup(house) } }),
  ],
  [
    'message:send',
    201,
    async (house) => ({ path: { timelineId: await newGroup(house) }, body: { body: 'To you' } }),
    1,
  ],
  [
    'message:list',
    200,
    async (house) => ({ path: { timelineId: await newGroup(house) }, query: 'limit=2' }),
    1,
  ],
];
