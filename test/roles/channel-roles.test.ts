import { expect } from 'chai';
import { grantable, type Grantable } from '../../shared/permissions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('custom roles in a channel', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cleo: Person;
  let serverId: string;
  let channelId: string;
  let otherId: string;
  let code: string;
  let roleId: string;

  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, ben, cleo] = (await Promise.all(
      ['Ann', 'Ben', 'Cleo'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    ({ serverId, channelId, code } = await openPlace(ann, ben, cleo));
    otherId = (await ann.send('channel:create', { serverId, name: 'other' })).channel.id;
    for (const id of [channelId, otherId])
      await ann.send('channel:update', { channelId: id, announcements: true });
    roleId = await roleOf(ben, 'Helper');
  });
  afterEach(() => {
    for (const person of [ann, ben, cleo]) person.close();
  });
  after(() => app.close());

  async function roleOf(person: Person, name: string, permissions: Grantable[] = []) {
    const { role } = await ann.send('role:create', { serverId, name, permissions });
    await ann.send('role:give', { serverId, userId: person.id, roleId: role.id });
    return role.id;
  }
  const say = (by: Person, timelineId: string, body = 'News') =>
    by.ask('message:send', { timelineId, body });
  const canSend = async (by: Person, timelineId = channelId) => (await say(by, timelineId)).ok;
  const canCall = async (by: Person, timelineId = channelId) => {
    const sent = await say(by, timelineId, '@everyone');
    return sent.ok && sent.value.message.calls !== undefined;
  };

  it('let members with the role send messages in that announcement channel only', async () => {
    expect(await canSend(ben)).to.equal(false);
    const { channel } = await ann.send('channel:update', { channelId, senderRoleIds: [roleId] });
    expect(channel.senderRoleIds).to.deep.equal([roleId]);
    expect([await canSend(ben), await canSend(ben, otherId)]).to.deep.equal([true, false]);
    expect([await canSend(cleo), await canCall(ben)]).to.deep.equal([false, false]);
    await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 60 });
    expect(await canSend(ben)).to.equal(false);
    await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 0 });
    const none = await ann.send('channel:update', { channelId, senderRoleIds: [] });
    expect(none.channel).not.to.have.property('senderRoleIds');
    expect(await canSend(ben)).to.equal(false);
  });

  it('let members with the role mention everyone in that channel only', async () => {
    for (const id of [channelId, otherId])
      await ann.send('channel:update', { channelId: id, announcements: false });
    expect(await canCall(ben)).to.equal(false);
    await ann.send('channel:update', { channelId, callerRoleIds: [roleId] });
    expect([await canCall(ben), await canCall(ben, otherId)]).to.deep.equal([true, false]);
    expect(await canCall(cleo)).to.equal(false);
    await ann.send('role:take', { serverId, userId: ben.id, roleId });
    expect(await canCall(ben)).to.equal(false);
  });

  it('work in a private channel for its members only', async () => {
    const wanted = { serverId, name: 'secret', private: true, announcements: true };
    const { channel } = await ann.send('channel:create', { ...wanted, userIds: [cleo.id] });
    await ann.send('role:give', { serverId, userId: cleo.id, roleId });
    await ann.send('channel:update', { channelId: channel.id, senderRoleIds: [roleId] });
    expect([await canSend(cleo, channel.id), await canSend(ben, channel.id)]).to.deep.equal([
      ...[true, false],
    ]);
  });

  it('give a bot nothing beyond its scopes', async () => {
    const { bot, token } = await ann.send('bot:create', { name: 'Clerk', scopes: ['send'] });
    await ann.send('bot:add', { serverId, botId: bot.id });
    const clerk = await connectBot(app.url, token);
    await ann.send('role:give', { serverId, userId: bot.id, roleId });
    const roleIds = [roleId];
    await ann.send('channel:update', { channelId, senderRoleIds: roleIds, callerRoleIds: roleIds });
    expect([await canSend(clerk), await canCall(clerk)]).to.deep.equal([true, false]);
    clerk.close();
  });

  it('are set by the owner only, who defines roles', async () => {
    await roleOf(ben, 'Keeper', [...grantable]);
    await ann.send('member:update', { serverId, userId: cleo.id, role: 'moderator' });
    for (const grant of [{ senderRoleIds: [roleId] }, { callerRoleIds: [roleId] }]) {
      for (const person of [ben, cleo])
        expect((await person.expectError('channel:update', { channelId, ...grant })).code).to.equal(
          'forbidden',
        );
      await ann.send('channel:update', { channelId, ...grant });
      const { entries } = await ann.send('audit:list', { serverId, limit: 1 });
      const action = 'channel:rolesSet' as const;
      expect(entries[0]).to.include({ action, actorId: ann.id, subjectId: channelId });
    }
  });

  it('are not given by a bot whose scopes lack what they can do there', async () => {
    const scopes = ['manage members' as const];
    const { bot, token } = await ann.send('bot:create', { name: 'Clerk', scopes });
    await ann.send('bot:add', { serverId, botId: bot.id });
    await ann.send('member:update', { serverId, userId: bot.id, role: 'moderator' });
    const clerk = await connectBot(app.url, token);
    const toCleo = { serverId, userId: cleo.id, roleId };
    await clerk.send('role:give', toCleo);
    await clerk.send('role:take', toCleo);
    for (const grant of [{ senderRoleIds: [roleId] }, { callerRoleIds: [roleId] }]) {
      await ann.send('channel:update', { channelId, senderRoleIds: [], callerRoleIds: [] });
      await ann.send('channel:update', { channelId, ...grant });
      expect((await clerk.expectError('role:give', toCleo)).code).to.equal('forbidden');
    }
    clerk.close();
  });

  it('must exist in the server, and grant nothing after they are deleted', async () => {
    const { server } = await ann.send('server:create', { name: 'Elsewhere' });
    const { role } = await ann.send('role:create', { serverId: server.id, name: 'Helper' });
    const senderRoleIds = [role.id];
    expect((await ann.expectError('channel:update', { channelId, senderRoleIds })).code).to.equal(
      'not_found',
    );
    await ann.send('channel:update', { channelId, senderRoleIds: [roleId] });
    const again = [roleId, await roleOf(cleo, 'Other'), roleId];
    await ann.send('role:delete', { serverId, roleId });
    expect(await canSend(ben)).to.equal(false);
    // A list that was read before is accepted.
    const { channel } = await ann.send('channel:update', { channelId, senderRoleIds: again });
    expect(channel.senderRoleIds).to.deep.equal([...new Set(again)].sort());
    expect([await canSend(ben), await canSend(cleo)]).to.deep.equal([false, true]);
    await ben.send('server:leave', { serverId });
    await ben.send('server:join', { code });
    expect(await canSend(ben)).to.equal(false);
  });
});
