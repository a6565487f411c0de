import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { sweepPurgeSlice } from '../../server/messages/purges.ts';
import { limits } from '../../shared/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';
import { openServerWithRoles } from './server-with-roles.ts';

describe('messages of banned members', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  const says = async (person: Person, timelineId: string, ...bodies: string[]) => {
    for (const body of bodies) await person.send('message:send', { timelineId, body });
  };
  const bodiesIn = async (person: Person, timelineId: string) =>
    (await person.send('message:list', { timelineId })).messages.map(({ body }) => body);
  const done = async () => {
    app.pass(1_000);
    await until(async () => (await query(app.db, 'select 1 from purges')).length === 0);
  };
  const age = (body: string, seconds: number) =>
    query(
      app.db,
      `update messages set created_at = created_at - make_interval(secs => $2) where body = $1`,
      [body, seconds],
    );

  it('are deleted in every channel visible to the moderator, as far back as requested, and no others', async () => {
    const { ann, mod, ben, guest, serverId, channelId, targetOf } = await openServerWithRoles(app);
    const { channel: other } = await ann.send('channel:create', { serverId, name: 'other' });
    const { channel: secret } = await ann.send('channel:create', {
      ...{ serverId, name: 'secret', private: true, userIds: [ben.id] },
    });
    const { conversation } = await ben.send('conversation:create', { userIds: [mod.id] });
    await says(ben, channelId, 'an hour ago and a bit', 'Buy', 'this');
    await age('an hour ago and a bit', 3_700);
    await says(guest, channelId, 'Who is that?');
    for (const id of [other.id, secret.id, conversation.id]) await says(ben, id, 'Buy this');
    await guest.send('channel:join', { channelId: other.id });
    await mod.send('ban:create', { ...targetOf(ben), deleteMessages: 3_600 });
    await done();
    expect(await bodiesIn(ann, channelId)).to.deep.equal([
      ...['an hour ago and a bit', '', '', 'Who is that?'],
    ]);
    expect(await bodiesIn(ann, secret.id)).to.deep.equal(['Buy this']);
    expect(await bodiesIn(ben, conversation.id)).to.deep.equal(['Buy this']);
    const { changes, people } = await guest.waitFor('changes', ({ room }) =>
      room.endsWith(other.id),
    );
    const [change] = changes;
    expect(change?.type === 'message:deleted' && change.message).to.include({
      ...{ body: '', authorId: ben.id, deletedBy: mod.id },
    });
    expect(people).to.have.property(mod.id);
  });

  it('leave one entry in the audit log, however many they were', async () => {
    const { ann, ben, serverId, channelId, targetOf } = await openServerWithRoles(app);
    await says(ben, channelId, 'One', 'Two');
    await ann.send('ban:create', { ...targetOf(ben), deleteMessages: 60 });
    await done();
    const { entries } = await ann.send('audit:list', { serverId });
    const found = entries.filter(({ userId }) => userId === ben.id);
    expect(found.map(({ action }) => action)).to.deep.equal(['messages:deleted', 'ban:created']);
    const since = Date.parse(found[0]?.detail ?? '');
    expect(Date.parse(found[0]?.at ?? '') - since).to.be.closeTo(60_000, 5_000);
  });

  it('are all deleted, even when another node continues; messages after an unban stay', async () => {
    const { ann, ben, channelId, code, targetOf } = await openServerWithRoles(app);
    await says(ben, channelId, 'One', 'Two', 'Three', 'Four', 'Five');
    await ann.send('ban:create', { ...targetOf(ben), deleteMessages: 60 });
    await sweepPurgeSlice(app, 2);
    expect(await bodiesIn(ann, channelId)).to.deep.equal(['One', 'Two', 'Three', '', '']);
    await ann.send('ban:delete', targetOf(ben));
    await ben.send('server:join', { code });
    await says(ben, channelId, 'Sorry');
    // The node with this purge may have ended. No other node takes it until its minute is over.
    await query(app.db, `update purges set due = clock_timestamp() + interval '1 minute'`);
    expect(await sweepPurgeSlice(app, 2)).to.equal(false);
    await query(app.db, 'update purges set due = clock_timestamp()');
    await done();
    expect(await bodiesIn(ann, channelId)).to.deep.equal(['', '', '', '', '', 'Sorry']);
  });

  it('are deleted by one search if several members are banned', async () => {
    const { ann, ben, guest, serverId, channelId, targetOf } = await openServerWithRoles(app);
    const others = [ben, guest];
    for (const one of others) await says(one, channelId, 'Buy this', 'and this');
    await says(ann, channelId, 'Who are they?');
    const userIds = others.map(({ id }) => id);
    await ann.send('ban:createMany', { serverId, userIds, deleteMessages: 60 });
    await ann.send('ban:create', { ...targetOf(ben), deleteMessages: 30 });
    expect(await sweepPurgeSlice(app, 100)).to.equal(true);
    expect(await bodiesIn(ann, channelId)).to.deep.equal(['', '', '', '', 'Who are they?']);
    await done();
  });

  it('are deleted for members who are already banned, and for the bots banned with them', async () => {
    const { ann, ben, serverId, channelId, targetOf } = await openServerWithRoles(app);
    const { bot, token } = await ben.send('bot:create', { name: 'Echo', scopes: ['send'] });
    await ann.send('bot:add', { botId: bot.id, serverId });
    const inside = await connectBot(app.url, token);
    await says(inside, channelId, 'Beep');
    await says(ben, channelId, 'Buy this');
    await ann.send('ban:create', { ...targetOf(ben), bots: false });
    await ann.send('ban:create', { ...targetOf(ben), deleteMessages: limits.purgeSeconds });
    await done();
    expect(await bodiesIn(ann, channelId)).to.deep.equal(['', '']);
    inside.close();
  });

  it('are deleted by a bot whose token allows that, and by no other', async () => {
    const { ann, ben, serverId, channelId, targetOf } = await openServerWithRoles(app);
    const { bot, token } = await ann.send('bot:create', {
      ...{ name: 'Warden', scopes: ['manage members'] },
    });
    await ann.send('bot:add', { botId: bot.id, serverId });
    await ann.send('member:update', { serverId, userId: bot.id, role: 'moderator' });
    await says(ben, channelId, 'Buy this');
    const ban = { ...targetOf(ben), deleteMessages: 60 };
    const weak = await connectBot(app.url, token);
    expect((await weak.expectError('ban:create', ban)).code).to.equal('forbidden');
    weak.close();
    const { token: better } = await ann.send('bot:rotate', {
      ...{ botId: bot.id, scopes: ['manage members', 'manage messages'] },
    });
    const strong = await connectBot(app.url, better);
    await strong.send('ban:create', ban);
    await done();
    expect(await bodiesIn(ann, channelId)).to.deep.equal(['']);
    strong.close();
  });

  it('are deleted back to a week ago at most', async () => {
    const { mod, ben, targetOf } = await openServerWithRoles(app);
    for (const deleteMessages of [0, -1, 0.5, limits.purgeSeconds + 1])
      expect(await mod.expectError('ban:create', { ...targetOf(ben), deleteMessages })).to.include({
        ...{ code: 'invalid', field: 'deleteMessages' },
      });
  });
});
