import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { memberCountsOn } from '../../server/members/counts.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { enterAs, post, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('invites', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    serverId = (await ann.send('server:create', { name: 'Place' })).server.id;
    await ben.send('server:join', { code: (await make()).code });
  });
  afterEach(() => ann.send('server:delete', { serverId }));
  after(() => app.close());

  const make = async (
    more: { maxUses?: number; expiresInSeconds?: number; another?: boolean } = {},
    who = ann,
  ) => (await who.send('invite:create', { serverId, ...more })).invite;
  const list = async () => (await ann.send('invite:list', { serverId })).invites;
  const used = async (code: string) => (await list()).find((invite) => invite.code === code)?.uses;
  /** Makes the invite older. Its expiry goes by the database's clock, which a test cannot move. */
  const age = (code: string, by: string) =>
    query(
      app.db,
      `update invites set created_at = created_at - $2::interval,
        expires_at = expires_at - $2::interval where code = $1`,
      [code, by],
    );

  it('have codes that cannot be guessed', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await make()).code));
    for (const code of codes) expect(code).to.match(/^[A-Za-z0-9]{12}$/);
    expect(new Set(codes).size).to.equal(20);
  });

  it('are made by members, not by guests', async () => {
    const guest = await app.guest();
    await guest.send('server:join', { code: (await make({}, ben)).code });
    expect((await guest.expectError('invite:create', { serverId })).code).to.equal('forbidden');
    const cem = await app.person();
    expect((await cem.expectError('invite:create', { serverId })).code).to.equal('not_found');
  });

  it('show their server to everybody who holds them', async () => {
    const { code } = await make({ maxUses: 1 });
    const cem = await app.person();
    const { invite } = await cem.send('invite:get', { code });
    expect(invite).to.deep.equal({
      code,
      server: { id: serverId, name: 'Place', memberCount: 2 },
      invitedBy: 'Ann',
      ownership: false,
      guests: true,
      approval: false,
      requested: false,
    });
    expect(await used(code)).to.equal(0);
    expect((await cem.expectError('invite:get', { code: 'nosuchinvite' })).code).to.equal(
      'not_found',
    );
    expect((await cem.expectError('invite:get', { code: "x' or 1=1" })).code).to.equal('invalid');
  });

  it('show how many are online from ten members on, because fewer would reveal individuals', async () => {
    const { code } = await make();
    const shown = async () => (await ben.send('invite:get', { code })).invite.server;
    const more = await Promise.all(Array.from({ length: 8 }, () => app.guest()));
    for (const person of more.slice(1)) await person.send('server:join', { code });
    expect(await shown())
      .to.include({ memberCount: 9 })
      .and.not.have.property('onlineCount');
    await more[0]?.send('server:join', { code });
    expect(await shown()).to.include({ memberCount: 10, onlineCount: 10 });
    for (const person of more) person.close();
    await until(async () => (await shown()).onlineCount === 2);
    // The members of a small server can be counted directly, so no counts are cached.
    expect(memberCountsOn(app.node).size).to.equal(0);
  });

  it('do not name a creator who has lost membership', async () => {
    const { code } = await make({}, ben);
    const inviter = async () => (await ann.send('invite:get', { code })).invite.invitedBy;
    expect(await inviter()).to.equal('Ben');
    await ann.send('member:remove', { serverId, userId: ben.id });
    expect(await inviter()).to.equal(undefined);
  });

  it('on the usual terms are reused for a day by each member, even for simultaneous requests', async () => {
    const usual = { expiresInSeconds: limits.usualInviteSeconds };
    const [first, ...others] = await Promise.all(
      Array.from({ length: 12 }, () => make(usual, ben)),
    );
    expect(others).to.deep.equal(Array(11).fill(first));
    for (const other of [await make(usual), await make({ ...usual, maxUses: 5 }, ben)])
      expect(other.code).to.not.equal(first?.code);
    const cem = await app.person();
    await cem.send('server:join', { code: first?.code ?? '' });
    expect(await make(usual, ben)).to.deep.equal({ ...first, uses: 1 });
    const another = await make({ ...usual, another: true }, ben);
    expect(another.code).to.not.equal(first?.code);
    await ben.send('invite:delete', { code: another.code });
    await age(first?.code ?? '', '1 day');
    const next = await make(usual, ben);
    expect(next.code).to.not.equal(first?.code);
    await ben.send('invite:delete', { code: next.code });
    expect((await make(usual, ben)).code).to.not.be.oneOf([first?.code, next.code]);
  });

  it('with five uses let in five of twenty people at once', async () => {
    const { code } = await make({ maxUses: 5 });
    const people = await Promise.all(Array.from({ length: 20 }, () => app.guest()));
    const outcomes = await Promise.allSettled(
      people.map((person) => person.send('server:join', { code })),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).to.deep.equal(
      Array<string>(15).fill('not_found'),
    );
    const { members } = await ann.send('member:list', { serverId, limit: 100 });
    expect(members).to.have.length(2 + 5);
    expect((await people[0]?.expectError('invite:get', { code }))?.code).to.equal('not_found');
    expect((await list()).map((invite) => invite.code)).to.not.include(code);
    // Members can repeat the request, because the first answer can be lost.
    const inside = people.find(({ id }) => members.some(({ userId }) => userId === id));
    expect((await inside?.send('server:join', { code }))?.server.id).to.equal(serverId);
    for (const person of people) person.close();
  });

  it('are deleted after they end, except for the latest, however many are made', async () => {
    const usable = await list();
    await query(
      app.db,
      `insert into invites (code, server_id, created_by, created_at, expires_at, max_uses, uses)
       select 'ended' || n || $1, $1::uuid, $2, now() - n * interval '1 minute',
         case when n % 2 = 0 then now() - interval '1 second' end,
         case when n % 2 = 1 then 1 end, n % 2
       from generate_series(1, $3::int) as n`,
      [serverId, ann.id, 3 * quotas.invitesPerServer],
    );
    const latest = await make({ another: true });
    const [{ stored } = { stored: 0 }] = await query<{ stored: number }>(
      app.db,
      'select count(*)::int as stored from invites where server_id = $1',
      [serverId],
    );
    expect(stored).to.equal(usable.length + 1 + quotas.invitesPerServer);
    expect((await list()).map(({ code }) => code)).to.have.members([
      latest.code,
      ...usable.map(({ code }) => code),
    ]);
  });

  it('count one use for each new member, and none for existing members', async () => {
    const { code } = await make({ maxUses: 3 });
    const cem = await app.person();
    const acks = await Promise.all(
      Array.from({ length: 10 }, () => cem.send('server:join', { code })),
    );
    expect(new Set(acks.map(({ server }) => JSON.stringify(server))).size).to.equal(1);
    await ben.send('server:join', { code });
    expect(await used(code)).to.equal(1);
  });

  it('expire', async () => {
    const { code, expiresAt } = await make({ expiresInSeconds: 60 });
    expect(Date.parse(expiresAt ?? '') - Date.now()).to.be.within(1, 60_000);
    const [cem, dot] = await Promise.all([app.person(), app.person()]);
    await cem.send('server:join', { code });
    await age(code, '60 seconds');
    expect((await dot.expectError('server:join', { code })).code).to.equal('not_found');
    expect((await dot.expectError('invite:get', { code })).code).to.equal('not_found');
    expect((await list()).map((invite) => invite.code)).to.not.include(code);
  });

  it('are ended only by their creator or by the staff', async () => {
    const [own, other] = [await make({}, ben), await make()];
    const cem = await app.person();
    expect((await cem.expectError('invite:delete', { code: own.code })).code).to.equal('not_found');
    expect((await ben.expectError('invite:delete', { code: other.code })).code).to.equal(
      'forbidden',
    );
    await ben.send('invite:delete', { code: own.code });
    expect((await ben.expectError('invite:delete', { code: own.code })).code).to.equal('not_found');
    expect((await cem.expectError('server:join', { code: own.code })).code).to.equal('not_found');
    await ann.send('invite:delete', { code: (await make({}, ben)).code });
    const left = await make({}, ben);
    await ben.send('server:leave', { serverId });
    expect((await ben.expectError('invite:delete', { code: left.code })).code).to.equal(
      'not_found',
    );
  });

  it('are listed for the staff only, latest first', async () => {
    const { code } = await make({ maxUses: 2, expiresInSeconds: 60 }, ben);
    const [latest] = await list();
    expect(latest).to.include({ code, serverId, createdBy: ben.id, maxUses: 2, uses: 0 });
    expect((await ben.expectError('invite:list', { serverId })).code).to.equal('forbidden');
  });

  it('are limited for each server, as long as they can be used', async () => {
    const { code } = await make({ maxUses: 1 });
    for (let i = (await list()).length; i < quotas.invitesPerServer - 1; i += 1) await make();
    const last = await Promise.allSettled(Array.from({ length: 5 }, () => make()));
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect((await ann.expectError('invite:create', { serverId })).code).to.equal('conflict');
    const cem = await app.person();
    await cem.send('server:join', { code });
    await make();
  });

  it('cannot be used up by one member, nor by many together', async () => {
    for (let i = 0; i < quotas.invitesPerMember - 1; i += 1) await make({}, ben);
    const ends = await make({ expiresInSeconds: 60 }, ben);
    expect((await ben.expectError('invite:create', { serverId })).code).to.equal('conflict');
    await make();
    await age(ends.code, '60 seconds');
    await make({}, ben);
    expect((await ben.expectError('invite:create', { serverId })).code).to.equal('conflict');
    const { invitesPerServer, invitesForStaff } = quotas;
    for (let i = (await list()).length; i < invitesPerServer - invitesForStaff; i += 1)
      await make();
    const cem = await app.person();
    await cem.send('server:join', { code: (await list())[0]!.code });
    expect((await cem.expectError('invite:create', { serverId })).code).to.equal('conflict');
    await ann.send('member:update', { serverId, userId: cem.id, role: 'moderator' });
    await make({}, cem);
  });

  describe('from a banned or removed member', () => {
    const codes = async () => (await list()).map(({ code }) => code);

    it('end with the ban', async () => {
      const [his, hers] = [await make({}, ben), await make()];
      await ann.send('ban:create', { serverId, userId: ben.id });
      const cem = await app.person();
      for (const command of ['invite:get', 'server:join'] as const)
        expect((await cem.expectError(command, { code: his.code })).code).to.equal('not_found');
      expect(await codes())
        .to.include(hers.code)
        .and.not.include(his.code);
      await cem.send('server:join', { code: hers.code });
      await ann.send('ban:delete', { serverId, userId: ben.id });
      expect((await cem.expectError('invite:get', { code: his.code })).code).to.equal('not_found');
    });

    it('end with a ban after the member has left', async () => {
      const { code } = await make({}, ben);
      await ben.send('server:leave', { serverId });
      await ann.send('ban:create', { serverId, userId: ben.id });
      expect(await codes()).to.not.include(code);
    });

    it('cannot be made during a simultaneous ban, regardless of the order', async () => {
      for (let round = 0; round < 10; round += 1) {
        const cem = await app.person();
        await cem.send('server:join', { code: (await make({ maxUses: 1 })).code });
        await Promise.all([
          cem.send('invite:create', { serverId }).catch(() => undefined),
          ann.send('ban:create', { serverId, userId: cem.id }),
        ]);
        expect((await list()).map(({ createdBy }) => createdBy)).to.not.include(cem.id);
        cem.close();
      }
    });

    it('stay when the member is only removed or demoted', async () => {
      await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
      const { code } = await make({}, ben);
      await ann.send('member:update', { serverId, userId: ben.id, role: 'member' });
      await ann.send('member:remove', { serverId, userId: ben.id });
      expect(await codes()).to.include(code);
    });
  });

  describe('with an account', () => {
    const form = (name: string, invite: string) => {
      return { username: name, password: 'a long enough one', invite };
    };

    it('let in people who register, sign in or enter as guests', async () => {
      const { code } = await make();
      const registered = await enterAs(app.url, 'register', form('by.invite', code));
      const guest = await enterAs(app.url, 'guest', { displayName: 'Guest', invite: code });
      const cem = await enterAs(app.url, 'register', {
        username: 'cem',
        password: 'a long enough one',
      });
      await enterAs(app.url, 'login', form('cem', code));
      for (const person of [registered, guest, cem])
        expect((await person.send('server:list', {})).servers.map(({ id }) => id)).to.deep.equal([
          serverId,
        ]);
      expect(await used(code)).to.equal(3);
    });

    it('create no account when they cannot be used, and one for one use', async () => {
      const { code } = await make({ maxUses: 1 });
      const names = Array.from({ length: 5 }, (_, i) => `raced.${i}`);
      const replies = await Promise.all(
        names.map((name) => post(app.url, '/api/auth/register', form(name, code))),
      );
      expect(replies.map(({ status }) => status).sort()).to.deep.equal([201, 404, 404, 404, 404]);
      const [accounts] = await app.db.sequelize.query(
        `select 1 from users where username like 'raced.%'`,
      );
      expect(accounts).to.have.length(1);
    });

    it('keep out banned people at sign-in, too', async () => {
      const { code } = await make();
      const cem = await enterAs(app.url, 'register', form('banned.cem', code));
      await ann.send('ban:create', { serverId, userId: cem.id });
      const reply = await post(app.url, '/api/auth/login', form('banned.cem', code));
      expect(reply.status).to.equal(404);
    });
  });
});
