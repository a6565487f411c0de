import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Failure } from '../shared/failure.ts';
import { serverRoom, timelineRoom, userRoom } from '../shared/rooms.ts';
import { startApp, type TestApp } from './support/app.ts';
import type { Person } from './support/person.ts';

describe('members', () => {
  let app: TestApp;
  let ann: Person;
  let mod: Person;
  let ben: Person;
  let guest: Person;
  let serverId: string;
  let channelId: string;
  let code: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, mod, ben, guest] = await Promise.all([
      app.person('Ann'),
      app.person('Mod'),
      app.person('Ben'),
      app.guest('Guest'),
    ]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, channelId] = [server.id, server.defaultChannelId];
    code = (await ann.send('invite:create', { serverId })).invite.code;
    for (const person of [mod, ben, guest]) await person.send('server:join', { code });
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
  });
  afterEach(() => ann.send('server:delete', { serverId }));
  after(() => app.close());

  const whom = (person: { id: string }) => ({ serverId, userId: person.id });
  const members = async () => (await ann.send('member:list', { serverId, limit: 100 })).members;
  const memberIds = async () => (await members()).map(({ userId }) => userId);
  const settled = (person: Person) => person.send('session:list', {});
  const socketsIn = (room: string) => [...(app.app.io.of('/').adapter.rooms.get(room) ?? [])];
  const codesOf = (outcomes: PromiseSettledResult<unknown>[]) =>
    outcomes.map((it) =>
      it.status === 'rejected' ? (it.reason as { code: string }).code : 'done',
    );

  it('come in where everybody hears of it, with who they are and that they are there', async () => {
    const cem = await app.person('Cem');
    await ben.send('server:open', { serverId });
    await cem.send('server:join', { code });
    const heard = await ben.hears(
      'changes',
      ({ room, changes }) =>
        room === serverRoom(serverId) && changes.some(({ type }) => type === 'member:joined'),
    );
    const [change] = heard.changes;
    expect(change).to.have.nested.property('member.userId', cem.id);
    expect(change).to.have.nested.property('member.role', 'member');
    expect(heard.people[cem.id]?.name).to.equal('Cem');
    await ben.hears(
      'presence',
      ({ room, users }) => room === serverRoom(serverId) && users[cem.id] === 'online',
    );
    await cem.hears(
      'changes',
      ({ room, changes }) => room === userRoom(cem.id) && changes[0]?.type === 'server:joined',
    );
  });

  it('are listed by id, a page at a time, with who is online', async () => {
    const everyone = [ann, mod, ben, guest].map(({ id }) => id).sort();
    const first = await ben.send('member:list', { serverId, limit: 3 });
    const second = await ben.send('member:list', {
      serverId,
      limit: 3,
      after: first.members[2]?.userId,
    });
    expect([...first.members, ...second.members].map(({ userId }) => userId)).to.deep.equal(
      everyone,
    );
    expect([first.more.after, second.more.after]).to.deep.equal([true, false]);
    expect(Object.keys(first.people).sort()).to.deep.equal(everyone.slice(0, 3));
    expect(first.presence).to.deep.equal(
      Object.fromEntries(everyone.slice(0, 3).map((id) => [id, 'online'])),
    );
    expect((await ben.send('member:list', { serverId, limit: 4 })).more.after).to.equal(false);
  });

  it('name themselves, and are named by those who outrank them', async () => {
    const cases: [Person, Person, 'may' | 'forbidden'][] = [
      [ben, ben, 'may'],
      [guest, guest, 'may'],
      [mod, mod, 'may'],
      [ann, ann, 'may'],
      [mod, ben, 'may'],
      [mod, guest, 'may'],
      [ann, mod, 'may'],
      [ben, guest, 'forbidden'],
      [mod, ann, 'forbidden'],
      [ben, mod, 'forbidden'],
    ];
    for (const [i, [who, on, outcome]] of cases.entries()) {
      const input = { ...whom(on), nickname: `Nick ${i}` };
      if (outcome === 'may')
        expect((await who.send('member:update', input)).member.nickname).to.equal(input.nickname);
      else expect((await who.fails('member:update', input)).code, `${i}`).to.equal(outcome);
    }
    const cleared = await ben.send('member:update', { ...whom(ben), nickname: null });
    expect(cleared.member.nickname).to.equal(null);
    // What is so already changes nothing, and so does nothing at all.
    expect(await ben.send('member:update', { ...whom(ben), nickname: null })).to.deep.equal(
      cleared,
    );
    expect(await mod.send('member:update', whom(ben))).to.deep.equal(cleared);
    expect(
      (await mod.fails('member:update', { ...whom({ id: v7() }), nickname: 'x' })).code,
    ).to.equal('not_found');
  });

  it('get their roles from the owner alone; guests and the owner keep theirs', async () => {
    const set = (person: Person, role: 'moderator' | 'member') => ({ ...whom(person), role });
    for (const who of [mod, ben, guest])
      for (const on of [ben, mod, ann, who])
        expect((await who.fails('member:update', set(on, 'member'))).code).to.equal('forbidden');
    expect((await ann.fails('member:update', set(guest, 'moderator'))).code).to.equal('conflict');
    expect((await ann.fails('member:update', set(ann, 'moderator'))).code).to.equal('conflict');
    expect((await ann.send('member:update', set(ben, 'moderator'))).member.role).to.equal(
      'moderator',
    );
    // Of two moderators none outranks the other.
    expect((await mod.fails('member:update', { ...whom(ben), nickname: 'x' })).code).to.equal(
      'forbidden',
    );
    expect((await mod.fails('member:remove', whom(ben))).code).to.equal('forbidden');
    expect((await ann.send('member:update', set(ben, 'member'))).member.role).to.equal('member');
    expect((await ben.fails('channel:create', { serverId, name: 'mine' })).code).to.equal(
      'forbidden',
    );
    expect(
      (await ann.fails('member:update', { ...set(ben, 'member'), role: 'owner' as never })).code,
    ).to.equal('invalid');
  });

  it('lose a right at the very moment that it is taken: nothing is done by it afterwards', async () => {
    for (let round = 0; round < 5; round += 1) {
      await ann.send('member:update', { ...whom(ben), role: 'moderator' });
      const create = (_: unknown, i: number) =>
        ben.send('channel:create', { serverId, name: `${round} ${i}` });
      const before = Array.from({ length: 10 }, create);
      const demoted = ann.send('member:update', { ...whom(ben), role: 'member' });
      const after = Array.from({ length: 10 }, create);
      const outcomes = await Promise.allSettled([...before, ...after]);
      expect(codesOf(outcomes)).to.satisfy((codes: string[]) =>
        codes.every((one) => one === 'done' || one === 'forbidden'),
      );
      const { version } = (await demoted).member;
      for (const outcome of outcomes)
        if (outcome.status === 'fulfilled')
          expect(outcome.value.channel.version).to.be.below(version);
    }
  });

  describe('who rely on a right, and those who end it', () => {
    /** Tries something while a message is, so to speak, being written. */
    async function whileSomebodyWrites(act: () => Promise<unknown>): Promise<'waited' | 'went on'> {
      const { sequelize } = app.app.db;
      const writing = await sequelize.transaction();
      await sequelize.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', {
        bind: [serverId],
        transaction: writing,
      });
      const done = act();
      const first = await Promise.race([
        done.then(() => 'went on' as const),
        new Promise<'waited'>((resolve) => setTimeout(() => resolve('waited'), 150)),
      ]);
      await writing.commit();
      await done;
      return first;
    }

    it('wait for each other', async () => {
      const other = (await ann.send('channel:create', { serverId, name: 'other' })).channel;
      const ending: (() => Promise<unknown>)[] = [
        () => ann.send('server:update', { serverId, defaultChannelId: other.id }),
        () => ann.send('channel:delete', { channelId }),
        () => guest.send('server:leave', { serverId }),
        () => mod.send('member:remove', whom(ben)),
        () => mod.send('ban:create', whom(guest)),
        () => ann.send('server:transfer', { serverId, userId: mod.id }),
        () => mod.send('member:update', { ...whom(ann), role: 'member' }),
        () => mod.send('server:delete', { serverId }),
      ];
      for (const [i, act] of ending.entries())
        expect(await whileSomebodyWrites(act), `${i}`).to.equal('waited');
      // For the hook that ends it.
      serverId = (await ann.send('server:create', { name: 'Place' })).server.id;
    });

    it('do not wait for others who rely on theirs', async () => {
      const cem = await app.person();
      const relying: (() => Promise<unknown>)[] = [
        () => ann.send('channel:update', { channelId, topic: 'News' }),
        () => ann.send('channel:create', { serverId, name: 'other' }),
        () => ben.send('invite:create', { serverId }),
        () => ben.send('member:update', { ...whom(ben), nickname: 'Benny' }),
        () => cem.send('server:join', { code }),
      ];
      for (const [i, act] of relying.entries())
        expect(await whileSomebodyWrites(act), `${i}`).to.equal('went on');
    });
  });

  describe('removed', () => {
    for (const command of ['member:remove', 'ban:create'] as const) {
      it(`by ${command}: only by those who outrank them`, async () => {
        const cases: [Person, Person, 'forbidden' | 'conflict'][] = [
          [ben, guest, 'forbidden'],
          [ben, mod, 'forbidden'],
          [guest, ben, 'forbidden'],
          [mod, ann, 'forbidden'],
          [mod, mod, 'conflict'],
          [ann, ann, 'conflict'],
        ];
        for (const [who, on, code] of cases)
          expect((await who.fails(command, whom(on))).code).to.equal(code);
        expect((await ann.fails(command, whom({ id: v7() }))).code).to.equal('not_found');
        await mod.send(command, whom(ben));
        await ann.send(command, whom(mod));
        expect(await memberIds()).to.have.members([ann.id, guest.id]);
      });

      it(`by ${command}: hear nothing more, on all devices, and are told why`, async () => {
        const tab = await ben.again();
        for (const socket of [ben, tab]) {
          await socket.send('server:open', { serverId });
          await socket.send('channel:join', { channelId });
        }
        await guest.send('server:open', { serverId });
        await ann.send(command, whom(ben));
        const late = await ann.send('message:send', { timelineId: channelId, body: 'Without Ben' });
        await ann.send('channel:create', { serverId, name: 'secret' });
        for (const socket of [ben, tab]) {
          for (const room of [serverRoom(serverId), timelineRoom(channelId)])
            await socket.hears('head', (head) => head.room === room && head.version === null);
          await socket.hears('changes', ({ changes }) =>
            changes.some(
              (change) => change.type === 'server:removed' && change.serverId === serverId,
            ),
          );
          await settled(socket);
          const heard = JSON.stringify(socket.heard('changes'));
          expect(heard).to.not.include(late.message.id).and.not.include('secret');
        }
        await guest.hears(
          'changes',
          ({ room, changes }) =>
            room === serverRoom(serverId) &&
            changes.some((change) => change.type === 'member:removed' && change.userId === ben.id),
        );
        expect((await ben.fails('server:open', { serverId })).code).to.equal('not_found');
        expect((await ben.fails('message:list', { timelineId: channelId })).code).to.equal(
          'not_found',
        );
        tab.close();
      });
    }

    it('while they write and enter rooms: whatever was first, they are out', async () => {
      for (let round = 0; round < 20; round += 1) {
        await ben.send('server:join', { code });
        const outcomes = Promise.allSettled([
          ben.send('channel:join', { channelId }),
          ben.send('message:send', { timelineId: channelId, body: 'one' }),
          ben.send('server:open', { serverId }),
          ann.send('member:remove', whom(ben)),
          ben.send('channel:join', { channelId }),
          ben.send('message:send', { timelineId: channelId, body: 'two' }),
          ben.send('server:open', { serverId }),
        ]);
        const codes = codesOf(await outcomes);
        expect(
          codes.every((one) => one === 'done' || one === 'not_found'),
          codes.join(),
        ).to.equal(true);
        const inside = [serverRoom(serverId), timelineRoom(channelId)].flatMap(socketsIn);
        expect(inside).to.not.include(ben.socket.id);
        expect(await memberIds()).to.not.include(ben.id);
      }
    });

    it('at once by two, and leaving at the same time, they are gone once', async () => {
      await ben.send('server:open', { serverId });
      const codes = codesOf(
        await Promise.allSettled([
          ann.send('member:remove', whom(guest)),
          mod.send('member:remove', whom(guest)),
          guest.send('server:leave', { serverId }),
        ]),
      );
      expect(codes.filter((one) => one === 'done')).to.have.length(1);
      expect(codes.filter((one) => one === 'not_found')).to.have.length(2);
    });

    it('may come back by an invite', async () => {
      await ann.send('member:remove', whom(ben));
      await ben.send('server:join', { code });
      expect(await memberIds()).to.include(ben.id);
    });
  });

  describe('banned', () => {
    const banned = async () =>
      (await mod.send('ban:list', { serverId })).bans.map(({ userId }) => userId);

    it('do not come back, and to them an invite looks like none', async () => {
      const { ban } = await mod.send('ban:create', whom(ben));
      expect(ban).to.include({ userId: ben.id, bannedBy: mod.id });
      const strip = ({ code, message }: Failure) => ({ code, message });
      for (const command of ['server:join', 'invite:get'] as const)
        expect(strip(await ben.fails(command, { code }))).to.deep.equal(
          strip(await ben.fails(command, { code: 'nosuchinvite' })),
        );
      await guest.send('invite:get', { code });
      expect(await memberIds()).to.not.include(ben.id);
      // Once more is the same ban.
      expect(await ann.send('ban:create', whom(ben))).to.deep.equal({ ban });
    });

    it('may be those who left, and those who were never in', async () => {
      const cem = await app.person();
      await ben.send('server:leave', { serverId });
      for (const person of [ben, cem]) {
        await mod.send('ban:create', whom(person));
        expect((await person.fails('server:join', { code })).code).to.equal('not_found');
      }
      expect(await banned()).to.deep.equal([cem.id, ben.id]);
    });

    it('are listed and let in again by those who keep order', async () => {
      await mod.send('ban:create', whom(ben));
      const { bans, people } = await ann.send('ban:list', { serverId });
      expect(bans.map(({ userId }) => userId)).to.deep.equal([ben.id]);
      expect(people).to.have.all.keys(ben.id, mod.id);
      expect((await guest.fails('ban:list', { serverId })).code).to.equal('forbidden');
      expect((await ben.fails('ban:list', { serverId })).code).to.equal('not_found');
      expect((await guest.fails('ban:delete', whom(ben))).code).to.equal('forbidden');
      await mod.send('ban:delete', whom(ben));
      expect((await mod.fails('ban:delete', whom(ben))).code).to.equal('not_found');
      await ben.send('server:join', { code });
      expect(await banned()).to.deep.equal([]);
    });

    it('while they join are out, whichever was first', async () => {
      for (let round = 0; round < 30; round += 1) {
        const cem = await app.guest();
        const codes = codesOf(
          await Promise.allSettled([
            cem.send('server:join', { code }),
            mod.send('ban:create', whom(cem)),
          ]),
        );
        expect(codes[0]).to.be.oneOf(['done', 'not_found']);
        expect(codes[1]).to.equal('done');
        expect(await memberIds()).to.not.include(cem.id);
        cem.close();
      }
    });
  });
});
