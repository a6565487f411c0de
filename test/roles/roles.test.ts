import { expect } from 'chai';
import type { Member } from '../../shared/members.ts';
import { byPlace } from '../../shared/order.ts';
import { grantable, type Grantable } from '../../shared/permissions.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Input } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { Mirror } from '../support/mirror.ts';
import { connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('a custom role', () => {
  let app: TestApp;
  let ann: Person;
  let mod: Person;
  let ben: Person;
  let cleo: Person;
  let serverId: string;
  let channelId: string;
  let code: string;

  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, mod, ben, cleo] = (await Promise.all(
      ['Ann', 'Mod', 'Ben', 'Cleo'].map((name) => app.person(name)),
    )) as [Person, Person, Person, Person];
    ({ serverId, channelId, code } = await openPlace(ann, mod, ben, cleo));
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
  });
  afterEach(() => {
    for (const person of [ann, mod, ben, cleo]) person.close();
  });
  after(() => app.close());

  type Asked = Omit<Input<'role:create'>, 'serverId' | 'name'>;
  const create = async (name = 'Helper', more: Asked = {}) =>
    (await ann.send('role:create', { serverId, name, ...more })).role;
  const give = (roleId: string, userId = ben.id, by = mod) =>
    by.send('role:give', { serverId, userId, roleId });
  const take = (roleId: string, userId = ben.id, by = mod) =>
    by.send('role:take', { serverId, userId, roleId });
  let granted = 0;
  /** Creates a role with these permissions, and gives it to Ben. */
  const grant = async (...permissions: Grantable[]) => {
    const { id } = await create(`${(granted += 1)}`, { permissions });
    await give(id);
    return id;
  };
  const memberOf = async (userId: string): Promise<Member> =>
    (await ann.send('member:list', { serverId, userIds: [userId] })).members[0]!;
  const rolesSeenBy = async (person: Person) => {
    const entry = await person.send('server:open', { serverId });
    return entry.status === 'snapshot' ? entry.state.roles : [];
  };
  const namesInOrder = async () => (await rolesSeenBy(ben)).sort(byPlace).map(({ name }) => name);

  it('has a color, an emoji and permissions, and reaches clients as a change and in the server’s state', async () => {
    await ben.send('server:open', { serverId });
    const look = { color: 'teal', mark: '🐢' } as const;
    const role = await create('Helper', { ...look, permissions: ['pin messages', 'send'] });
    // In the order of the table.
    expect(role)
      .to.include(look)
      .and.to.deep.include({ permissions: ['send', 'pin messages'] });
    const { changes, room } = await ben.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'role:created'),
    );
    expect(room).to.equal(serverRoom(serverId));
    expect(changes).to.deep.include({ type: 'role:created', version: role.version, role });
    expect(await rolesSeenBy(ben)).to.deep.equal([role]);
  });

  it('is created, changed and deleted by the owner only, and given and taken by moderators', async () => {
    const { id: roleId } = await create();
    const which = { serverId, roleId };
    for (const person of [ben, mod]) {
      const made = { serverId, name: 'Other' };
      expect((await person.expectError('role:create', made)).code).to.equal('forbidden');
      expect((await person.expectError('role:update', which)).code).to.equal('forbidden');
      expect((await person.expectError('role:delete', which)).code).to.equal('forbidden');
    }
    const toBen = { ...which, userId: ben.id };
    expect((await ben.expectError('role:give', toBen)).code).to.equal('forbidden');
    expect((await give(roleId)).member.roleIds).to.deep.equal([roleId]);
    expect((await ben.expectError('role:take', toBen)).code).to.equal('forbidden');
    expect((await take(roleId)).member).not.to.have.property('roleIds');
    // A role of another server looks like a missing one.
    const elsewhere = (await ann.send('server:create', { name: 'Elsewhere' })).server.id;
    const there = { serverId: elsewhere, roleId };
    expect((await ann.expectError('role:update', there)).code).to.equal('not_found');
    expect((await ann.expectError('role:delete', there)).code).to.equal('not_found');
    const toAnn = { ...there, userId: ann.id };
    expect((await ann.expectError('role:give', toAnn)).code).to.equal('not_found');
  });

  it('is given to members of a lower rank, by the owner also to themselves, and not to guests', async () => {
    const { id: roleId } = await create();
    const guest = await app.guest();
    await guest.send('server:join', { code });
    const to = ({ id: userId }: Person) => ({ serverId, userId, roleId });
    expect((await mod.expectError('role:give', to(mod))).code).to.equal('forbidden');
    expect((await ann.send('role:give', to(mod))).member.roleIds).to.deep.equal([roleId]);
    expect((await mod.expectError('role:take', to(mod))).code).to.equal('forbidden');
    expect((await mod.expectError('role:give', to(ann))).code).to.equal('forbidden');
    expect((await ann.send('role:give', to(ann))).member.roleIds).to.deep.equal([roleId]);
    expect((await mod.expectError('role:take', to(ann))).code).to.equal('forbidden');
    expect((await mod.expectError('role:give', to(guest))).code).to.equal('conflict');
    const stranger = await app.person();
    expect((await mod.expectError('role:give', to(stranger))).code).to.equal('not_found');
  });

  it('is not given or taken by a bot whose scopes lack a permission of it', async () => {
    const { bot, token } = await ann.send('bot:create', {
      ...{ name: 'Clerk', scopes: ['manage members', 'send'] },
    });
    await ann.send('bot:add', { serverId, botId: bot.id });
    await ann.send('member:update', { serverId, userId: bot.id, role: 'moderator' });
    const clerk = await connectBot(app.url, token);
    const writer = await create('Writer', { permissions: ['send'] });
    const keeper = await create('Keeper', { permissions: ['send', 'manage channels'] });
    expect((await give(writer.id, ben.id, clerk)).member.roleIds).to.deep.equal([writer.id]);
    const refused = { serverId, userId: ben.id, roleId: keeper.id };
    expect((await clerk.expectError('role:give', refused)).code).to.equal('forbidden');
    await give(keeper.id);
    expect((await clerk.expectError('role:take', refused)).code).to.equal('forbidden');
    clerk.close();
  });

  it('has a unique name, ignoring case, and is refused beyond 50 for a server and 10 for a member', async () => {
    const first = await create('Helper');
    const second = await create('Other');
    expect((await ann.expectError('role:create', { serverId, name: 'HELPER' })).code).to.equal(
      'conflict',
    );
    const rename = { serverId, roleId: second.id, name: 'helper' };
    expect((await ann.expectError('role:update', rename)).code).to.equal('conflict');
    await ann.send('role:update', { ...rename, roleId: first.id });
    const others = [];
    for (let i = 2; i < quotas.rolesPerServer; i += 1) others.push((await create(`r${i}`)).id);
    expect((await ann.expectError('role:create', { serverId, name: 'More' })).code).to.equal(
      'conflict',
    );
    for (const id of others.slice(0, quotas.rolesPerMember)) await give(id);
    const more = { serverId, userId: ben.id, roleId: first.id };
    expect((await mod.expectError('role:give', more)).code).to.equal('conflict');
    expect((await give(others[0]!)).member.roleIds).to.have.lengthOf(quotas.rolesPerMember);
  });

  it('moves to the place of another, and stays there when the request is repeated', async () => {
    const made = [];
    for (const name of ['one', 'two', 'three']) made.push(await create(name));
    const [one, , three] = made;
    const toTop = { serverId, roleId: three!.id, position: one!.position };
    const { role } = await ann.send('role:update', toTop);
    expect(await namesInOrder()).to.deep.equal(['three', 'one', 'two']);
    expect((await ann.send('role:update', toTop)).role).to.deep.equal(role);
    await ann.send('role:update', { ...toTop, position: 1e6 });
    expect(await namesInOrder()).to.deep.equal(['one', 'two', 'three']);
  });

  it('grants each of its permissions, and nothing else', async () => {
    const news = (await ann.send('channel:create', { serverId, name: 'news' })).channel.id;
    await ann.send('channel:update', { channelId: news, announcements: true });
    const slow = (await ann.send('channel:create', { serverId, name: 'slow' })).channel.id;
    await ann.send('channel:update', { channelId: slow, slowSeconds: 3_600 });
    await ann.send('wordFilter:set', { serverId, words: ['darn'] });
    const said = (await ann.send('message:send', { timelineId: channelId, body: 'Hi' })).message.id;
    await ben.send('message:send', { timelineId: slow, body: 'First' });
    const say = (timelineId: string, body: string) => ben.ask('message:send', { timelineId, body });
    const attempts: Record<Grantable, () => Promise<{ ok: boolean }>> = {
      send: () => say(news, 'News'),
      'send at once': () => say(slow, 'Second'),
      'use any words': () => say(channelId, 'Darn!'),
      'manage messages': async () => {
        const spam = { timelineId: channelId, body: 'Spam' };
        const messageId = (await ann.send('message:send', spam)).message.id;
        return ben.ask('message:delete', { messageId });
      },
      'pin messages': () => ben.ask('message:pin', { messageId: said, on: true }),
      'call everyone': async () => {
        const call = { timelineId: channelId, body: '@everyone' };
        const sent = await ben.ask('message:send', call);
        return { ok: sent.ok && sent.value.message.calls !== undefined };
      },
      'manage channels': () => ben.ask('category:create', { serverId, name: 'Rooms' }),
      'manage invites': () => ben.ask('invite:list', { serverId }),
      'manage members': () => ben.ask('ban:list', { serverId }),
    };
    const allowed = async () => {
      const results = [];
      for (const permission of grantable)
        if ((await attempts[permission]()).ok) results.push(permission);
      return results;
    };
    expect(await allowed()).to.deep.equal([]);
    for (const permission of grantable) {
      const id = await grant(permission);
      expect(await allowed(), permission).to.deep.equal([permission]);
      await take(id);
    }
    const [first, second] = [await grant('send', 'pin messages'), await grant('manage invites')];
    expect(await allowed()).to.deep.equal(['send', 'pin messages', 'manage invites']);
    await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 60 });
    expect(await allowed()).to.deep.equal([]);
    await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 0 });
    expect(await allowed()).to.deep.equal(['send', 'pin messages', 'manage invites']);
    await ann.send('role:update', { serverId, roleId: first, permissions: ['pin messages'] });
    expect(await allowed()).to.deep.equal(['pin messages', 'manage invites']);
    await ann.send('role:delete', { serverId, roleId: second });
    expect(await allowed()).to.deep.equal(['pin messages']);
    await ben.send('server:leave', { serverId });
    await ben.send('server:join', { code });
    expect(await allowed()).to.deep.equal([]);
  });

  describe('with management of members', () => {
    let eva: Person;
    let helper: string;
    const nickname = 'N';
    beforeEach(async () => {
      eva = await app.person('Eva');
      await eva.send('server:join', { code });
      helper = await grant('manage members');
      await give(helper, cleo.id);
    });
    afterEach(() => eva.close());

    /** Returns `ok` or the error code for each command against this member, who then rejoins. */
    const outcomes = async (by: Person, target: Person) => {
      const on = { serverId, userId: target.id };
      const results = [
        await by.ask('member:update', { ...on, nickname }),
        await by.ask('member:timeOut', { ...on, seconds: 60 }),
        await by.ask('member:timeOut', { ...on, seconds: 0 }),
        await by.ask('member:remove', on),
        await by.ask('ban:create', on),
        await by.ask('ban:delete', on),
      ];
      await target.ask('server:join', { code });
      return results.map((result) => (result.ok ? 'ok' : result.error.code));
    };
    const all = Array<string>(6).fill('ok');
    // `ban:delete` finds no ban, because `ban:create` was refused.
    const none = [...Array<string>(5).fill('forbidden'), 'not_found'];

    it('places its holders above other members and below moderators', async () => {
      expect(await outcomes(ben, eva)).to.deep.equal(all);
      for (const target of [cleo, mod, ann])
        expect(await outcomes(ben, target), target.user.name).to.deep.equal(none);
      expect(await outcomes(mod, cleo)).to.deep.equal(all);
      // Cleo lost the role when she was removed.
      expect(await outcomes(ben, cleo)).to.deep.equal(all);
      expect(await outcomes(cleo, eva)).to.deep.equal(Array(6).fill('forbidden'));
    });

    it('does not let its holders give or take roles', async () => {
      const { id: plain } = await create('Plain');
      const to = { serverId, userId: eva.id, roleId: plain };
      expect((await ben.expectError('role:give', to)).code).to.equal('forbidden');
      await give(plain, eva.id);
      expect((await ben.expectError('role:take', to)).code).to.equal('forbidden');
      await take(plain, eva.id);
    });

    it('lets its holders ban newcomers, except each other and people whose bot has such a role', async () => {
      const dan = await app.person('Dan');
      await dan.send('server:join', { code });
      await ann.send('role:update', { serverId, roleId: helper, permissions: [] });
      const { id: other } = await create('Other', { permissions: ['manage members'] });
      await give(other);
      await give(other, cleo.id);
      const { bot } = await eva.send('bot:create', { name: 'Echo' });
      await ann.send('bot:add', { serverId, botId: bot.id });
      await give(other, bot.id, ann);
      const userIds = [dan, eva, cleo, mod, ann].map(({ id }) => id);
      const { userIds: banned } = await ben.send('ban:createMany', { serverId, userIds });
      expect(banned).to.deep.equal([dan.id]);
      const on = { serverId, userId: eva.id };
      expect((await ben.expectError('ban:create', on)).code).to.equal('forbidden');
      await take(other, bot.id, ann);
      await ben.send('ban:create', on);
      dan.close();
    });
  });

  it('is taken from everyone when it is deleted, and clients see it', async () => {
    const mirror = new Mirror(cleo);
    await mirror.open(serverRoom(serverId));
    const [kept, ended] = [await create('Kept'), await create('Ended')];
    for (const userId of [ben.id, cleo.id]) {
      await give(ended.id, userId);
      await give(kept.id, userId);
    }
    await give(ended.id, mod.id, ann);
    await ann.send('role:delete', { serverId, roleId: ended.id });
    expect((await memberOf(ben.id)).roleIds).to.deep.equal([kept.id]);
    expect((await memberOf(cleo.id)).roleIds).to.deep.equal([kept.id]);
    expect(await memberOf(mod.id)).not.to.have.property('roleIds');
    await mirror.becomesTrue();
  });

  it('is in the audit log with everything that happens to it', async () => {
    const { id: roleId } = await create('Helper');
    await give(roleId);
    await ann.send('role:update', { serverId, roleId, name: 'Aide' });
    await take(roleId);
    await ann.send('role:delete', { serverId, roleId });
    const { entries } = await ann.send('audit:list', { serverId, limit: 5 });
    expect(
      entries.map(({ action, actorId, userId, subjectId, detail }) => ({
        ...{ action, actorId, userId, subjectId, detail },
      })),
    ).to.deep.equal(
      [
        { action: 'role:created', actorId: ann.id, userId: null, detail: 'Helper' },
        { action: 'role:given', actorId: mod.id, userId: ben.id, detail: 'Helper' },
        { action: 'role:changed', actorId: ann.id, userId: null, detail: 'Aide' },
        { action: 'role:taken', actorId: mod.id, userId: ben.id, detail: 'Aide' },
        { action: 'role:deleted', actorId: ann.id, userId: null, detail: 'Aide' },
      ]
        .map((entry) => ({ ...entry, subjectId: roleId }))
        .reverse(),
    );
  });
});
