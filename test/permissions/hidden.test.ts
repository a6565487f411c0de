import { expect } from 'chai';
import { v7 } from 'uuid';
import type { CommandName, Input } from '../../shared/protocol.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { castIn, say, setScene, type Cast } from './scene.ts';

/** A command, its input for something hidden, and its input for a missing id. */
type Pair = readonly [CommandName, Input<CommandName>, Input<CommandName>];

describe('answers about hidden things', () => {
  let app: TestApp;
  let cast: Cast;
  const nothing = v7();

  before(async () => {
    app = await startApp();
    cast = await castIn(app);
  });
  after(() => app.close());

  async function alike(person: Person, pairs: readonly Pair[]) {
    for (const [name, there, absent] of pairs) {
      const toThere = await person.expectError(name, there);
      const toAbsent = await person.expectError(name, absent);
      expect({ ...toThere, requestId: '' }, name).to.deep.equal({ ...toAbsent, requestId: '' });
    }
  }

  it('equal those about missing ones: a server, a group and others’ friendships, for a non-member', async () => {
    const { caller, place, group, others } = await setScene(app, 'non-member', cast);
    const { server, channelId, theirs, ...more } = await place();
    const categoryId = await more.categoryId();
    const { conversationId } = await group();
    await alike(caller, [
      ['server:open', { serverId: server.id }, { serverId: nothing }],
      ['category:list', { serverId: server.id }, { serverId: nothing }],
      ['category:delete', { categoryId }, { categoryId: nothing }],
      ['channel:join', { channelId }, { channelId: nothing }],
      [
        'sidebar:place',
        { list: 'favourites', targetId: channelId },
        { list: 'favourites', targetId: nothing },
      ],
      [
        'sidebar:place',
        { list: 'collapsed', targetId: categoryId },
        { list: 'collapsed', targetId: nothing },
      ],
      ['message:list', { timelineId: channelId }, { timelineId: nothing }],
      ['message:list', { timelineId: conversationId }, { timelineId: nothing }],
      ['conversation:open', { conversationId }, { conversationId: nothing }],
      ['message:edit', { messageId: theirs.id, body: 'x' }, { messageId: nothing, body: 'x' }],
      ['friendRequest:delete', { requestId: others.requestId }, { requestId: nothing }],
      ['friendship:delete', { friendshipId: others.friendshipId }, { friendshipId: nothing }],
    ]);
  });

  it('equal those about missing ones: a private channel, for a moderator outside it', async () => {
    const { caller, place, other } = await setScene(app, 'moderator', cast);
    const channelId = await (await place()).outside();
    const said = await say(other, channelId);
    await alike(caller, [
      ['channel:join', { channelId }, { channelId: nothing }],
      ['channel:update', { channelId, name: 'x' }, { channelId: nothing, name: 'x' }],
      [
        'notification:set',
        { targetId: channelId, hidden: true },
        { targetId: nothing, hidden: true },
      ],
      ['message:list', { timelineId: channelId }, { timelineId: nothing }],
      ['message:delete', { messageId: said.id }, { messageId: nothing }],
    ]);
  });

  it('equal those about missing ones: a person who blocks the caller', async () => {
    const { caller, other, tie } = await setScene(app, 'blocked', cast);
    await tie();
    await alike(caller, [
      ['friendRequest:create', { userId: other.id }, { userId: nothing }],
      ['friendship:create', { userId: other.id }, { userId: nothing }],
      ['conversation:create', { userIds: [other.id] }, { userIds: [nothing] }],
    ]);
  });
});
