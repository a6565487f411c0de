import { expect } from 'chai';
import { quotas } from '../../shared/quotas.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import { handOver } from '../support/place.ts';
import { countStatements, untilSilent } from '../support/statements.ts';
import {
  addSilentPrivateMembers,
  furnishSecrets,
  listPrivateChannels,
  say,
  waitForChange,
} from './secret.ts';

describe('private channels that custom roles open', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  async function furnish() {
    const scene = await furnishSecrets(app);
    const { ann, serverId } = scene;
    const roleIds: string[] = [];
    for (const name of ['Staff', 'Guides'])
      roleIds.push((await ann.send('role:create', { serverId, name })).role.id);
    const [staff, guides] = roleIds as [string, string];
    const give = (person: Person, roleId = staff, by = ann) =>
      by.send('role:give', { serverId, userId: person.id, roleId });
    const take = (person: Person, roleId = staff, by = ann) =>
      by.send('role:take', { serverId, userId: person.id, roleId });
    const { id: channelId } = await scene.conceal();
    const openTo = async (...viewerRoleIds: string[]) =>
      (await ann.send('channel:update', { channelId, viewerRoleIds })).channel;
    const memberIds = async () =>
      (await listPrivateChannels(ann)).find(({ id }) => id === channelId)?.memberIds;
    const canSee = async (person: Person) => {
      const result = await person.ask('message:list', { timelineId: channelId });
      if (!result.ok) expect(result.error.code).to.equal('not_found');
      const held = await listPrivateChannels(person);
      expect(held.some(({ id }) => id === channelId)).to.equal(result.ok);
      return result.ok;
    };
    return { ...scene, staff, guides, give, take, channelId, openTo, memberIds, canSee };
  }
  const sortedIds = (...people: Person[]) => people.map(({ id }) => id).sort();

  it('have everyone with the role as a member, for as long as they have it', async () => {
    const { ann, ben, cem, staff, give, take, channelId, openTo, memberIds, canSee } =
      await furnish();
    await give(ben);
    await say(ann, channelId);
    expect(await openTo(staff, staff)).to.deep.include({
      viewerRoleIds: [staff],
      memberIds: sortedIds(ann, ben),
    });
    await waitForChange(ben, 'privateChannel:joined');
    expect([await canSee(ben), await canSee(cem)]).to.deep.equal([true, false]);
    await give(cem);
    await waitForChange(cem, 'privateChannel:joined');
    expect(await memberIds()).to.deep.equal(sortedIds(ann, ben, cem));
    // Earlier messages count as read.
    const tab = await cem.newTab();
    expect(tab.ready.timelines).not.to.have.property(channelId);
    tab.close();
    await cem.send('channel:join', { channelId });
    await take(cem);
    const room = timelineRoom(channelId);
    await cem.waitFor('head', (head) => head.room === room && head.version === null);
    await waitForChange(cem, 'privateChannel:removed');
    expect([await canSee(ben), await canSee(cem)]).to.deep.equal([true, false]);
    const closed = await openTo();
    expect(closed)
      .to.deep.include({ memberIds: [ann.id] })
      .and.not.have.property('viewerRoleIds');
    expect(await canSee(ben)).to.equal(false);
  });

  it('keep a person who has another role that opens them, or who was added', async () => {
    const { ann, ben, cem, serverId, staff, guides, give, take, channelId, openTo, canSee } =
      await furnish();
    await ann.send('channel:addMember', { channelId, userId: cem.id });
    for (const person of [ben, cem]) for (const id of [staff, guides]) await give(person, id);
    await openTo(staff, guides);
    await take(ben, staff);
    expect(await canSee(ben)).to.equal(true);
    await openTo(staff);
    expect([await canSee(ben), await canSee(cem)]).to.deep.equal([false, true]);
    await openTo(staff, guides);
    await ann.send('role:delete', { serverId, roleId: staff });
    expect([await canSee(ben), await canSee(cem)]).to.deep.equal([true, true]);
    await ann.send('role:delete', { serverId, roleId: guides });
    expect([await canSee(ben), await canSee(cem)]).to.deep.equal([false, true]);
    const [channel] = await listPrivateChannels(cem);
    expect(channel).not.to.have.property('viewerRoleIds');
  });

  it('can’t be left by holders of the role, who can’t be removed either', async () => {
    const { ann, ben, staff, give, take, channelId, openTo, canSee } = await furnish();
    await ann.send('channel:addMember', { channelId, userId: ben.id });
    await give(ben);
    await openTo(staff);
    const target = { channelId, userId: ben.id };
    for (const person of [ann, ben])
      expect((await person.expectError('channel:removeMember', target)).code).to.equal('conflict');
    await take(ben);
    await ben.send('channel:removeMember', target);
    expect(await canSee(ben)).to.equal(false);
  });

  it('keep the holders when a channel becomes private, and forget the roles when it becomes public', async () => {
    const { ann, ben, cem, staff, serverId, give, take } = await furnish();
    const { channel } = await ann.send('channel:create', { serverId, name: 'open' });
    const { id: channelId } = channel;
    for (const person of [ben, cem]) await person.send('channel:join', { channelId });
    await give(ben);
    const closing = { channelId, private: true, viewerRoleIds: [staff] };
    const closed = await ann.send('channel:update', closing);
    expect(closed.channel).to.deep.include({ memberIds: sortedIds(ann, ben) });
    const room = timelineRoom(channelId);
    await cem.waitFor('head', (head) => head.room === room && head.version === null);
    const { message } = await say(ann, channelId);
    await ben.waitFor('changes', (event) => JSON.stringify(event).includes(message.id));
    expect(ben.received('head')).to.deep.equal([]);
    await take(ben);
    expect((await ben.expectError('channel:join', { channelId })).code).to.equal('not_found');
    await give(ben);
    await ann.send('channel:update', { channelId, private: false });
    const again = await ann.send('channel:update', { channelId, private: true });
    expect(again.channel).to.deep.include({ memberIds: [ann.id] });
    expect(again.channel).not.to.have.property('viewerRoleIds');
    const open = { channelId, private: false, viewerRoleIds: [staff] };
    expect((await ann.expectError('channel:update', open)).code).to.equal('conflict');
  });

  it('keep a new owner, and a former one, who had the role', async () => {
    const { ann, ben, serverId, staff, give, take, openTo, canSee } = await furnish();
    await give(ben);
    await give(ann);
    await openTo(staff);
    await handOver(serverId, ann, ben);
    await take(ben, staff, ben);
    await take(ann, staff, ben);
    expect([await canSee(ann), await canSee(ben)]).to.deep.equal([true, true]);
  });

  it('are lost with the server, and regained only with the role', async () => {
    const { ann, ben, serverId, staff, give, openTo, canSee, code, memberIds } = await furnish();
    await give(ben);
    await openTo(staff);
    await ben.send('server:leave', { serverId });
    await ben.send('server:join', { code });
    expect(await canSee(ben)).to.equal(false);
    await give(ben);
    expect(await memberIds()).to.deep.equal(sortedIds(ann, ben));
  });

  it('never exceed the member limit, even by giving the role', async () => {
    const { ann, ben, cem, serverId, staff, give, channelId, openTo } = await furnish();
    await openTo(staff);
    const spare = quotas.channelMembers - 2;
    await addSilentPrivateMembers(app, serverId, channelId, spare);
    const owner = await ann.newTab();
    ann.close();
    const outcomes = await Promise.allSettled([ben, cem].map((one) => give(one, staff, owner)));
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    const userIds = [ben.id, cem.id];
    const { members } = await owner.send('member:list', { serverId, userIds });
    expect(members.filter(({ roleIds }) => roleIds?.includes(staff))).to.have.length(1);
    owner.close();
  });

  it('keep a person added by someone else after a role made them a member', async () => {
    const { ann, ben, cem, serverId, staff, give, take, channelId, openTo, canSee } =
      await furnish();
    const permissions = ['manage channels' as const];
    await ann.send('role:update', { serverId, roleId: staff, permissions });
    for (const person of [ben, cem]) await give(person);
    await openTo(staff);
    // Holders can add people, including themselves.
    for (const userIds of [[ben.id], [ben.id, cem.id]])
      await ben.send('channel:update', { channelId, private: true, userIds });
    await ben.send('channel:addMember', { channelId, userId: ben.id });
    for (const person of [ben, cem]) await take(person);
    expect([await canSee(ben), await canSee(cem)]).to.deep.equal([false, true]);
  });

  it('keep unread messages of the holders when they become public without roles', async () => {
    const { ann, ben, staff, give, channelId, openTo } = await furnish();
    await give(ben);
    await openTo(staff);
    await say(ann, channelId);
    await ann.send('channel:update', { channelId, private: false, viewerRoleIds: [] });
    const tab = await ben.newTab();
    expect(tab.ready.timelines[channelId]).to.include({ last: 1 });
    tab.close();
    expect(JSON.stringify(ben.received('changes'))).not.to.include('privateChannel:removed');
  });

  it('require “manage channels” from a bot that gives or takes the role', async () => {
    const { ann, ben, serverId, staff, give, take, channelId, openTo } = await furnish();
    const scopes = [['manage members' as const], ['manage members', 'manage channels'] as const];
    const outcomes = [];
    await openTo(staff);
    for (const chosen of scopes) {
      const { bot, token } = await ann.send('bot:create', { name: 'Clerk', scopes: [...chosen] });
      await ann.send('bot:add', { serverId, botId: bot.id });
      await ann.send('member:update', { serverId, userId: bot.id, role: 'moderator' });
      await ann.send('channel:addMember', { channelId, userId: bot.id });
      const clerk = await connectBot(app.url, token);
      for (const change of [give, take])
        outcomes.push(
          await change(ben, staff, clerk).then(
            () => 'ok',
            (error: unknown) => (error as { code: string }).code,
          ),
        );
      clerk.close();
    }
    expect(outcomes).to.deep.equal(['forbidden', 'forbidden', 'ok', 'ok']);
  });
});

describe('a role that opens many private channels', () => {
  it('is given with the same number of statements for any number of channels', async () => {
    const app = await startApp({ PARLEY_LOBBY: 'off' });
    app.hold();
    const { ann, ben, cem, serverId } = await furnishSecrets(app);
    const { role } = await ann.send('role:create', { serverId, name: 'Staff' });
    const addChannels = async (many: number) => {
      for (let i = 0; i < many; i += 1) {
        const made = { serverId, name: 'room', private: true, viewerRoleIds: [role.id] };
        const { channel } = await ann.send('channel:create', made);
        await say(ann, channel.id);
      }
    };
    const statementsFor = async ({ id: userId }: Person) => {
      const sent = await countStatements(async () => {
        await ann.send('role:give', { serverId, userId, roleId: role.id });
        await untilSilent();
      });
      return sent.length;
    };
    await addChannels(1);
    const one = await statementsFor(ben);
    await addChannels(4);
    expect(await statementsFor(cem)).to.equal(one);
    const tab = await cem.newTab();
    expect(tab.ready.timelines).to.deep.equal({});
    await app.close();
  });
});
