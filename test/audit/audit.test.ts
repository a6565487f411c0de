import { expect } from 'chai';
import { v7 } from 'uuid';
import {
  recordAudit,
  recordAudits,
  recordFailedSignIn,
  sweepAudit,
} from '../../server/audit/audit.ts';
import { searched } from '../../server/audit/reading.ts';
import { ownContext } from '../../server/caller.ts';
import { query, transaction } from '../../server/database/database.ts';
import { budget } from '../../server/realtime/fitting.ts';
import { maxAuditSearched, type AuditAction, type AuditEntry } from '../../shared/audit.ts';
import type { Input } from '../../shared/protocol.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { enterAs, post, type Person } from '../support/person.ts';

describe('the audit log', () => {
  let app: TestApp;
  let admin: Person;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;
  let code: string;

  before(async () => {
    app = await startApp();
    admin = await app.owner();
  });
  after(() => app.close());

  beforeEach(async () => {
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Garden' });
    [serverId, channelId] = [server.id, server.defaultChannelId];
    ({ code } = (await ann.send('invite:create', { serverId })).invite);
    await ben.send('server:join', { code });
  });

  const readAll = async (
    reader: Person,
    of: Omit<Input<'audit:list'>, 'before' | 'limit'> = {},
    limit = 100,
  ) => {
    const all: AuditEntry[] = [];
    for (let before: number | undefined; ;) {
      const page = { ...of, limit, ...(before !== undefined && { before }) };
      const { entries, more } = await reader.send('audit:list', page);
      all.push(...entries);
      if (more === null) return all;
      before = more;
    }
  };
  const passwordOf = ({ user }: Person) => `the password of ${user.username ?? ''}`;
  const signIn = (username: string, password: string) =>
    post(app.url, '/api/auth/login', { username, password });

  it('lists each action in a server with its actor and subject, newest first, and the people', async () => {
    const { category } = await ann.send('category:create', { serverId, name: 'Beds' });
    const { channel } = await ann.send('channel:create', { serverId, name: 'seeds' });
    const said = await ben.send('message:send', { timelineId: channelId, body: 'a secret plan' });
    await ann.send('message:delete', { messageId: said.message.id });
    const own = await ben.send('message:send', { timelineId: channelId, body: 'mine' });
    await ben.send('message:delete', { messageId: own.message.id });
    await ann.send('channel:update', { channelId: channel.id, private: true });
    await ann.send('channel:addMember', { channelId: channel.id, userId: ben.id });
    await ann.send('channel:removeMember', { channelId: channel.id, userId: ben.id });
    await ann.send('channel:update', { channelId: channel.id, private: false });
    for (const announcements of [true, true, false])
      await ann.send('channel:update', { channelId: channel.id, announcements });
    await ann.send('channel:delete', { channelId: channel.id });
    for (const messageRequests of [true, true, false])
      await ann.send('server:update', { serverId, messageRequests });
    await ann.send('category:delete', { categoryId: category.id });
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    await ann.send('member:update', { serverId, userId: ben.id, nickname: 'Benny' });
    await ann.send('member:remove', { serverId, userId: ben.id });
    await ann.send('ban:create', { serverId, userId: ben.id });
    await ann.send('ban:delete', { serverId, userId: ben.id });
    await ann.send('invite:delete', { code });

    const { entries, people } = await ann.send('audit:list', { serverId });
    const described = entries.map(({ action, userId, subjectId, detail }) => {
      return [action, userId, subjectId, detail];
    });
    const beginning = `${code.slice(0, 4)}…`;
    expect(described.reverse()).to.deep.equal([
      ['invite:created', null, null, beginning],
      ['message:deleted', ben.id, said.message.id, null],
      ['channel:closed', null, channel.id, null],
      ['channel:memberAdded', ben.id, channel.id, null],
      ['channel:memberRemoved', ben.id, channel.id, null],
      ['channel:opened', null, channel.id, null],
      ['channel:announcementsOn', null, channel.id, null],
      ['channel:announcementsOff', null, channel.id, null],
      ['channel:deleted', null, channel.id, 'seeds'],
      ['server:requestsOn', null, null, null],
      ['server:requestsOff', null, null, null],
      ['category:deleted', null, category.id, 'Beds'],
      ['member:roleChanged', ben.id, null, 'moderator'],
      ['member:removed', ben.id, null, null],
      ['ban:created', ben.id, null, null],
      ['ban:deleted', ben.id, null, null],
      ['invite:deleted', ann.id, null, beginning],
    ]);
    expect(entries.every(({ actorId }) => actorId === ann.id)).to.equal(true);
    expect([people[ann.id]?.name, people[ben.id]?.name]).to.deep.equal(['Ann', 'Ben']);
    const written = JSON.stringify(await readAll(admin, { serverId }));
    for (const secret of ['a secret plan', code]) expect(written).not.to.include(secret);
  });

  it('has the actions on accounts and bots, for the instance’s owner only', async () => {
    const guest = await app.guest();
    const username = `claimed${Date.now().toString(36)}`;
    const form = { username, password: 'four words are enough' };
    const claimed = await enterAs(app.url, 'register', form, guest.cookie);
    const { bot, token } = await claimed.send('bot:create', { name: 'Echo' });
    const rotated = await claimed.send('bot:rotate', { botId: bot.id });
    await claimed.send('bot:delete', { botId: bot.id });
    const next = 'five words are even better';
    await claimed.send('user:changePassword', { current: form.password, next });
    await claimed.expectError('user:changePassword', { current: form.password, next });
    const other = await enterAs(app.url, 'login', { username, password: next });
    const { sessions } = await other.send('session:list', {});
    const sessionId = sessions.find(({ current }) => !current)?.id ?? '';
    await other.send('session:revoke', { sessionId });

    const mine = (await readAll(admin)).filter(({ actorId }) => actorId === claimed.id).reverse();
    expect(mine.map(({ action }) => action)).to.deep.equal([
      'account:claimed',
      // Sign-ins within an hour from one address are one entry, so the second one is counted with the first.
      'session:created',
      'bot:created',
      'bot:rotated',
      'bot:deleted',
      'password:changed',
      'password:refused',
      'session:revoked',
    ]);
    expect(mine[1]).to.include({ count: 2, address: '127.0.0.1' });
    expect(mine[2]).to.include({ userId: bot.id });
    expect(mine.at(-1)).to.include({ subjectId: sessionId });
    const written = JSON.stringify(await readAll(admin));
    for (const secret of [token, rotated.token, form.password, next])
      expect(written).not.to.include(secret);
    for (const one of [guest, claimed, other]) one.close();
  });

  it('shows addresses, of any server, to the instance’s owner only', async () => {
    await ann.send('ban:create', { serverId, userId: ben.id });
    const [latest] = await readAll(admin, { serverId });
    expect(latest).to.include({ action: 'ban:created', address: '127.0.0.1' });
    const [shown] = await readAll(ann, { serverId });
    expect(shown).to.deep.equal(without(latest));
    // The log without `serverId` is for the owner of Lobby only. Owning a server is not enough.
    expect((await ann.expectError('audit:list', {})).code).to.equal('forbidden');
  });

  const without = (entry: AuditEntry | undefined) => {
    const { address: _, ...rest } = entry ?? ({} as AuditEntry);
    return rest;
  };

  it('outlives the server: then only the instance’s owner reads it', async () => {
    await ann.send('server:delete', { serverId });
    expect((await ann.expectError('audit:list', { serverId })).code).to.equal('not_found');
    const [latest] = await readAll(admin, { serverId });
    expect(latest).to.include({ action: 'server:deleted', actorId: ann.id, detail: 'Garden' });
  });

  it('omits actions that were refused or rolled back', async () => {
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    const known = await readAll(ann, { serverId });
    await ben.expectError('ban:create', { serverId, userId: ann.id });
    await ben.expectError('member:remove', { serverId, userId: ann.id });
    await ben.expectError('audit:list', { serverId });
    const source = { user: ben.user, address: '127.0.0.1' };
    await transaction(app.db, async (db) => {
      await recordAudit(db, source, { action: 'ban:created', serverId, userId: ann.id });
      throw new Error('the deed fails');
    }).catch(() => undefined);
    expect(await readAll(ann, { serverId })).to.deep.equal(known);
  });

  it('is read in pages, each entry once', async () => {
    for (const role of ['moderator', 'member', 'moderator', 'member'] as const)
      await ann.send('member:update', { serverId, userId: ben.id, role });
    const whole = await readAll(ann, { serverId });
    expect(whole).to.have.length(5);
    expect(await readAll(ann, { serverId }, 2)).to.deep.equal(whole);
  });

  it('returns each matching entry once, however few entries a request reads', async () => {
    for (const role of ['moderator', 'member', 'moderator', 'member'] as const)
      await ann.send('member:update', { serverId, userId: ben.id, role });
    await ann.send('ban:create', { serverId, userId: await strangerHere('Cem') });
    await ann.send('member:remove', { serverId, userId: ben.id });
    const whole = await readAll(ann, { serverId });
    const actions: AuditAction[] = ['member:roleChanged', 'invite:created'];
    try {
      for (searched.entries of [1, 2, 3, 5, 6, 7, 100])
        for (const limit of [1, 2, 100]) {
          const isOf = ({ action }: AuditEntry) => actions.includes(action);
          const isAbout = ({ userId }: AuditEntry) => userId === ben.id;
          const what = `${searched.entries}, ${limit}`;
          const [ofKind, about, both] = [
            await readAll(ann, { serverId, actions }, limit),
            await readAll(ann, { serverId, personId: ben.id }, limit),
            await readAll(ann, { serverId, actions, personId: ben.id }, limit),
          ];
          expect(ofKind, what).to.deep.equal(whole.filter(isOf));
          expect(about, what).to.deep.equal(whole.filter(isAbout));
          expect(both, what).to.deep.equal(whole.filter((one) => isOf(one) && isAbout(one)));
          expect(await readAll(ann, { serverId, personId: ann.id }, limit)).to.deep.equal(whole);
        }
    } finally {
      searched.entries = maxAuditSearched;
    }
    expect(whole).to.have.length(7);
  });

  it('returns entries by a person, about the person, or both', async () => {
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    await ben.send('ban:create', { serverId, userId: await strangerHere('Cem') });
    const actionsOf = async (more: Omit<Input<'audit:list'>, 'before' | 'limit'>) =>
      (await readAll(ann, { serverId, ...more })).map(({ action }) => action);
    const personId = ben.id;
    expect(await actionsOf({ personId })).to.deep.equal(['ban:created', 'member:roleChanged']);
    expect(await actionsOf({ personId, as: 'actor' })).to.deep.equal(['ban:created']);
    expect(await actionsOf({ personId, as: 'target' })).to.deep.equal(['member:roleChanged']);
    expect(await actionsOf({ as: 'actor' })).to.have.length(3);
  });

  describe('with a range of time', () => {
    const day = 86_400_000;
    const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString();
    let own: TestApp;
    let reader: Person;
    let garden: string;

    /** Inserts entries in this order, with their first and last action so many days ago. */
    const writeEntries = (entries: [name: string, at: number, lastAt?: number][]) =>
      query(
        own.db,
        `insert into audit (action, actor_id, server_id, detail, at, last_at)
         select 'channel:deleted', $1, $2, name, at, "lastAt"
         from jsonb_to_recordset($3::jsonb) as entry (name text, at timestamptz, "lastAt" timestamptz)`,
        [
          ...[reader.id, garden],
          JSON.stringify(
            entries.map(([name, at, lastAt = at]) => {
              return { name, at: daysAgo(at), lastAt: daysAgo(lastAt) };
            }),
          ),
        ],
      );
    const found = async (of: Pick<Input<'audit:list'>, 'since' | 'until'>) => {
      const { entries } = await reader.send('audit:list', { serverId: garden, ...of });
      return entries.map(({ detail }) => detail);
    };

    beforeEach(async () => {
      own = await startApp();
      reader = await own.person('Ann');
      garden = (await reader.send('server:create', { name: 'Garden' })).server.id;
    });
    afterEach(() => own.close());

    it('returns only entries with an action in the range', async () => {
      await writeEntries([
        ['ten', 10],
        ['seven to six', 6.8, 6.1],
        ['five', 5],
        ['one', 1],
      ]);
      expect(await found({ since: daysAgo(6.5) })).to.deep.equal(['one', 'five', 'seven to six']);
      expect(await found({ since: daysAgo(5.5) })).to.deep.equal(['one', 'five']);
      expect(await found({ until: daysAgo(4) })).to.deep.equal(['five', 'seven to six', 'ten']);
      expect(await found({ until: daysAgo(6.5) })).to.deep.equal(['seven to six', 'ten']);
      expect(await found({ since: daysAgo(5.5), until: daysAgo(4) })).to.deep.equal(['five']);
      expect(await found({ since: daysAgo(-1) })).to.deep.equal([]);
      expect(await found({ since: '0001-01-01T00:00:00Z', until: daysAgo(9) })).to.deep.equal([
        'ten',
      ]);
      expect(await found({ until: daysAgo(20) })).to.deep.equal([]);
      expect(await found({ since: daysAgo(2), until: daysAgo(3) })).to.deep.equal([]);
    });

    it('finds entries behind more newer and older ones than a request reads', async () => {
      const many = (name: string, at: number) =>
        writeEntries(Array.from({ length: 2_500 }, () => [name, at]));
      await many('old', 20);
      await writeEntries([['sought', 10]]);
      await many('new', 1);
      const { entries } = searched;
      searched.entries = 1_200;
      try {
        expect(await found({ until: daysAgo(9), since: daysAgo(11) })).to.deep.equal(['sought']);
        const one = { serverId: garden, since: daysAgo(11), until: daysAgo(9) };
        const pages = await readAll(reader, one);
        expect(pages.map(({ detail }) => detail)).to.deep.equal(['sought']);
      } finally {
        searched.entries = entries;
      }
    });
  });

  it('names the servers in the log of the instance, unless they were deleted', async () => {
    const { server } = await ann.send('server:create', { name: 'Shed' });
    await ann.send('invite:create', { serverId: server.id });
    const names = async () => (await admin.send('audit:list', { limit: 5 })).serverNames;
    expect(await names()).to.deep.equal({ [serverId]: 'Garden', [server.id]: 'Shed' });
    await ann.send('server:delete', { serverId: server.id });
    expect(await names()).to.deep.equal({ [serverId]: 'Garden' });
    expect((await ann.send('audit:list', { serverId })).serverNames).to.deep.equal({});
  });

  it('limits the bytes of a page, names included, and returns each entry once', async () => {
    for (const name of ['Cem', 'Dora', 'Emil', 'Fay'])
      await ann.send('ban:create', { serverId, userId: await strangerHere(name) });
    const whole = await readAll(ann, { serverId });
    const { partBytes } = budget;
    budget.partBytes = 600;
    try {
      const { entries, people } = await ann.send('audit:list', { serverId });
      expect(entries).to.have.length.within(1, 3);
      expect(Object.keys(people)).to.have.length.below(4);
      expect(await readAll(ann, { serverId })).to.deep.equal(whole);
    } finally {
      budget.partBytes = partBytes;
    }
  });

  const strangerHere = async (name: string) => {
    const stranger = await app.guest(name);
    await stranger.send('server:join', { code });
    return stranger.id;
  };

  const rowsOf = (where: string, bind: unknown[]) =>
    query<{ count: number; userId: string | null; address: string | null }>(
      app.db,
      `select count, user_id as "userId", address from audit where ${where} order by id`,
      bind,
    );

  it('counts failed sign-ins of an hour by account and address, and keeps no name that was typed', async () => {
    const username = ann.user.username ?? '';
    const counted = await rowsOf(`action = 'session:refused' and user_id is null`, []);
    for (let i = 0; i < 6; i += 1) {
      expect((await signIn(username, 'a wrong password')).status).to.equal(401);
      expect((await signIn(`no-such-name-${i}`, 'a wrong password')).status).to.equal(401);
    }
    expect(counted).to.deep.equal([]);
    const refused = `action = 'session:refused' and user_id is not distinct from $1`;
    expect(await rowsOf(refused, [ann.id])).to.deep.equal([
      { count: 6, userId: ann.id, address: '127.0.0.1' },
    ]);
    expect(await rowsOf(refused, [null])).to.deep.equal([
      { count: 6, userId: null, address: '127.0.0.1' },
    ]);
    expect(JSON.stringify(await readAll(admin))).not.to.include('no-such-name');
    expect((await signIn(username, passwordOf(ann))).status).to.equal(200);
  });

  it('is not filled by strangers from many addresses: at most some hundreds of entries an hour', async () => {
    const { db } = app;
    const before = (await rowsOf(`action = 'session:refused'`, [])).length;
    for (let i = 0; i < 250; i += 1)
      await recordFailedSignIn(db, { userId: v7(), address: `192.0.2.${i}` });
    const after = await rowsOf(`action = 'session:refused'`, []);
    expect(after.length - before).to.be.at.most(201);
    expect(after.at(-1)).to.include({ userId: null, address: null });
    expect(after.reduce((sum, { count }) => sum + count, 0)).to.be.at.least(250);
  });

  it('counts failed sign-ins of an administrator separately', async () => {
    const { db } = app;
    const refused = async (userId: string, count: number) => {
      for (let i = 0; i < count; i += 1)
        await recordFailedSignIn(db, { userId, address: `192.0.2.${i}` });
      return rowsOf(`action = 'session:refused' and user_id = $1`, [userId]);
    };
    // Uses up all single entries, so that further failures of other accounts are combined.
    for (let i = 0; i < 200; i += 1) await refused(v7(), 1);
    expect(await refused(ben.id, 1)).to.have.length(0);
    expect(await refused(admin.id, 1)).to.deep.equal([
      { count: 1, userId: admin.id, address: '192.0.2.0' },
    ]);
    expect((await refused(admin.id, 130)).at(-1)).to.deep.equal({
      ...{ count: 30, userId: admin.id, address: null },
    });
    // More separate entries than one node writes: many at once can exceed the limit.
    await query(
      db,
      `insert into audit (action, user_id, address)
       select 'session:refused', $1, '198.51.100.' || i from generate_series(1, 100) as i`,
      [admin.id],
    );
    const combined = (await refused(admin.id, 1)).filter(({ address }) => address === null);
    expect(combined.map(({ count }) => count)).to.deep.equal([31]);
  });

  it('is not filled by one person, whose repeated actions hide no other entries', async () => {
    for (let i = 0; i < 130; i += 1) {
      const { invite } = await ann.send('invite:create', { serverId });
      await ann.send('invite:delete', { code: invite.code });
    }
    await ann.send('ban:create', { serverId, userId: ben.id });
    const entries = await readAll(ann, { serverId });
    const created = entries.filter(({ action }) => action === 'invite:created');
    expect(created).to.have.length(101);
    expect(created[0]).to.include({ count: 31, detail: null, serverId });
    expect(entries[0]).to.include({ action: 'ban:created', userId: ben.id, count: 1 });

    const source = { user: { id: v7() }, address: '127.0.0.1' };
    for (let i = 0; i < 250; i += 1)
      await recordAudit(app.db, source, { action: 'server:deleted', serverId: v7() });
    const often = await rowsOf('actor_id = $1', [source.user.id]);
    expect(often).to.have.length(201);
    expect(often.at(-1)?.count).to.equal(50);
  });

  it('counts actions in batches as it does one by one', async () => {
    const servers = [v7(), v7()];
    const deeds = Array.from({ length: 250 }, (_, i) => servers[i % 2]!);
    const rowsBy = async (sizes: number[]) => {
      const source = { user: { id: v7() }, address: '127.0.0.1' };
      const action = 'message:deleted';
      let at = 0;
      for (const size of sizes) {
        const some = deeds.slice(at, (at += size)).map((serverId) => ({ ...source, serverId }));
        if (size === 1) await recordAudit(app.db, source, { action, ...some[0]! });
        else await recordAudits(app.db, action, some);
      }
      const rows = await query<{ place: number; count: number }>(
        app.db,
        `select array_position($2::uuid[], server_id) as place, count from audit
         where actor_id = $1 order by count, place`,
        [source.user.id, servers],
      );
      return rows;
    };
    const oneByOne = await rowsBy(Array<number>(250).fill(1));
    expect(oneByOne).to.have.length(102);
    expect(oneByOne.slice(-2)).to.deep.equal([1, 2].map((place) => ({ place, count: 75 })));
    expect(await rowsBy([250])).to.deep.equal(oneByOne);
    expect(await rowsBy([90, 60, 100])).to.deep.equal(oneByOne);
  });

  it('keeps the order of actions recorded at once', async () => {
    const source = { user: { id: v7() }, address: '127.0.0.1' };
    const subjectIds = Array.from({ length: 30 }, () => v7());
    const deeds = subjectIds.map((subjectId) => ({ ...source, subjectId }));
    await recordAudits(app.db, 'message:deleted', deeds);
    const rows = await query<{ subjectId: string }>(
      app.db,
      'select subject_id as "subjectId" from audit where actor_id = $1 order by id',
      [source.user.id],
    );
    expect(rows.map(({ subjectId }) => subjectId)).to.deep.equal(subjectIds);
  });

  it('drops entries older than `PARLEY_AUDIT_DAYS`, and none younger', async () => {
    const { db } = app;
    expect((await ann.send('audit:list', { serverId })).keptDays).to.equal(90);
    const aged = (days: number) =>
      query(db, `update audit set at = now() - make_interval(days => $2) where server_id = $1`, [
        serverId,
        days,
      ]);
    await aged(89);
    await sweepAudit(ownContext(app.node));
    expect(await readAll(ann, { serverId })).to.have.length(1);
    await query(db, `update audit set at = now() - make_interval(days => 91)`);
    await sweepAudit(ownContext(app.node));
    expect(await readAll(admin)).to.deep.equal([]);
  });
});
