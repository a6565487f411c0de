import { expect } from 'chai';
import { replyId } from '../../client/bot/ids.ts';
import { newId } from '../../client/sync/ids.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { BotFixture, readAll } from '../support/bots.ts';
import type { Person } from '../support/person.ts';
import { answering, bodies, openBotWorkshop } from './trial.ts';
import { until } from '../support/time.ts';

describe('a bot made with parley/bot', () => {
  let app: TestApp;
  let fixture: BotFixture;
  before(async () => void (app = await startApp()));
  after(() => app.close());
  beforeEach(async () => void (fixture = await BotFixture.open()));
  afterEach(() => fixture.close());

  it('answers others but not itself, and knows the author, server and channel', async () => {
    const { botId, say, made, all } = await openBotWorkshop(app, fixture);
    const bot = made();
    const received: string[] = [];
    bot.on('message', async ({ body, author, channel, server, reply }) => {
      received.push(`${author.name} in ${server?.name} #${channel?.name}: ${body}`);
      await reply(body.toUpperCase());
    });
    const ready = await bot.start();
    expect(ready.you).to.include({ name: 'Echo', kind: 'bot' });
    expect(bot.servers.map(({ name }) => name)).to.deep.equal(['Workshop']);
    const { message } = await say('hello');
    await until(async () => (await all()).length === 2);
    await say('that is all');
    await until(async () => (await all()).length === 4);
    expect(bodies(await all())).to.deep.equal(['hello', 'HELLO', 'that is all', 'THAT IS ALL']);
    expect(received).to.deep.equal([
      'Ann in Workshop #general: hello',
      'Ann in Workshop #general: that is all',
    ]);
    expect((await all())[1]?.id).to.equal(replyId(botId, message.id, 0));
    expect((await all())[1]?.replyTo?.id).to.equal(message.id);
    expect(fixture.lines.join()).to.match(
      /^Connected as Echo \(channels: Workshop: 1; .*protocol 1\)$/,
    );
  });

  it('edits and deletes its messages', async () => {
    const { ann, say, made, all } = await openBotWorkshop(app, fixture);
    const bot = made();
    const removers: (string | undefined)[] = [];
    bot.on('message:deleted', ({ message: { deletedBy } }) => {
      removers.push(deletedBy && bot.person(deletedBy)?.name);
    });
    bot.on('message', async ({ body, reply }) => {
      const answer = await reply(`thinking about ${body}`);
      if (body === 'edit') await answer.edit('done');
      else await answer.delete();
    });
    await bot.start();
    await say('edit');
    await until(async () => (await all())[1]?.body === 'done');
    await say('delete');
    await until(async () => (await all())[3]?.deletedAt !== undefined);
    expect(bodies(await all())).to.deep.equal(['edit', 'done', 'delete', '']);
    await ann.send('message:delete', { messageId: (await all())[1]?.id ?? '' });
    await until(() => removers.length === 2);
    expect(removers).to.deep.equal([undefined, 'Ann']);
  });

  it('enters servers that it is added to and new channels, and receives messages from before it entered', async () => {
    const { ann, botId, say, made } = await openBotWorkshop(app, fixture);
    const bot = made();
    const received: string[] = [];
    answering(bot, received);
    await bot.start();
    const { server } = await ann.send('server:create', { name: 'Garden' });
    await say('before it was there', server.defaultChannelId);
    await ann.send('bot:add', { botId, serverId: server.id });
    await say('!one', server.defaultChannelId);
    const { channel } = await ann.send('channel:create', { serverId: server.id, name: 'roses' });
    await say('!two', channel.id);
    await until(() => received.length === 2);
    expect(received).to.have.members(['!one', '!two']);
    expect(bot.channels(server.id).map(({ name }) => name)).to.have.members(['general', 'roses']);
    await ann.send('member:remove', { serverId: server.id, userId: botId });
    await until(() => bot.servers.length === 1);
    await say('!three', channel.id);
    await say('!four');
    await until(() => received.length > 2);
    expect(received.slice(2)).to.deep.equal(['!four']);
  });

  it('receives messages of a private channel from when it is added until it is removed', async () => {
    const { ann, botId, say, made } = await openBotWorkshop(app, fixture);
    const bot = made();
    const received: string[] = [];
    answering(bot, received);
    await bot.start();
    const [{ id: serverId } = { id: '' }] = bot.servers;
    const wanted = { serverId, name: 'secret', private: true };
    const { channel } = await ann.send('channel:create', wanted);
    await say('!before', channel.id);
    const whom = { channelId: channel.id, userId: botId };
    await ann.send('channel:addMember', whom);
    await say('!in', channel.id);
    const sees = () => bot.channels(serverId).some(({ id }) => id === channel.id);
    await until(sees);
    await until(() => received.length > 0);
    await ann.send('channel:removeMember', whom);
    await until(() => !sees());
    await say('!out', channel.id);
    await say('!elsewhere');
    await until(() => received.includes('!elsewhere'));
    expect(received).to.deep.equal(['!in', '!elsewhere']);
  });

  it('receives direct messages from the first one, also of conversations that began while it was away', async () => {
    const { ann, serverId, botId, say, made } = await openBotWorkshop(app, fixture);
    const bot = made();
    const received: string[] = [];
    answering(bot, received);
    bot.on('message', ({ conversation, channel }) => {
      received.push(`${conversation?.kind} ${channel?.name}`);
    });
    await bot.start();
    const begin = async (by: Person, body: string) => {
      const { conversation } = await by.send('conversation:create', { userIds: [botId] });
      await by.send('message:send', { timelineId: conversation.id, body });
      return conversation.id;
    };
    const id = await begin(ann, '!hello');
    await until(async () => (await readAll(ann, id)).length === 2);
    expect(received).to.deep.equal(['!hello', 'pair undefined']);
    expect(bot.conversations.map((conversation) => conversation.id)).to.deep.equal([id]);
    await bot.stop();

    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    await begin(ben, '!while away');
    const wanted = { serverId, name: 'secret', private: true };
    const { channel } = await ann.send('channel:create', wanted);
    await say('!before it was let in', channel.id);
    await ann.send('channel:addMember', { channelId: channel.id, userId: botId });
    await say('!after', channel.id);
    const later: string[] = [];
    await answering(made(), later).start();
    await until(() => later.length === 2);
    await say('!the last', channel.id);
    await until(() => later.includes('!the last'));
    expect(later).to.have.members(['!while away', '!after', '!the last']);
  });

  it('runs typed commands and receives typed changes', async () => {
    const { ann, serverId, channelId, say, made, all } = await openBotWorkshop(app, fixture);
    const bot = made();
    const joined: string[] = [];
    bot.on('member:joined', ({ member }) => void joined.push(member.userId));
    bot.on('message:updated', ({ message }) => void joined.push(message.body));
    await bot.start();
    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    const { message } = await say('first');
    await ann.send('message:edit', { messageId: message.id, body: 'second' });
    await until(() => joined.length === 2);
    expect(joined).to.have.members([ben.id, 'second']);
    const { servers } = await bot.command('server:list', {});
    expect(servers.map(({ id }) => id)).to.deep.equal([serverId]);
    expect(bot.members(serverId)).to.have.length(3);
    const id = newId();
    for (const body of ['said once', 'said once']) await bot.say(channelId, body, id);
    expect(bodies(await all())).to.deep.equal(['second', 'said once']);
  });
});
