import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import { ownerInvite } from '../../server/invites/invites.ts';
import type { Input } from '../../shared/protocol.ts';
import { commandRates } from '../../shared/limits.ts';
import type { Grantable } from '../../shared/permissions.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { addSilentMembers } from '../support/crowd.ts';
import { connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('reports', () => {
  let app: TestApp;
  /** The owner, a moderator and two members. */
  let ann: Person;
  let mod: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;
  let channelId: string;
  let code: string;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, mod, ben, cem] = (await Promise.all(
      ['Ann', 'Mod', 'Ben', 'Cem'].map((name) => app.person(name)),
    )) as [Person, Person, Person, Person];
    ({ serverId, channelId, code } = await openPlace(ann, mod, ben, cem));
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
  });
  after(() => app.close());

  const say = async (person: Person, body = 'Buy now', timelineId = channelId) =>
    (await person.send('message:send', { timelineId, body })).message.id;
  const report = (person: Person, messageId: string, more: Partial<Input<'report:create'>> = {}) =>
    person.send('report:create', { messageId, kind: 'spam', ...more });
  const close = (
    person: Person,
    messageId: string,
    outcome: Input<'report:close'>['outcome'] = 'handled',
  ) => person.send('report:close', { serverId, messageIds: [messageId], outcome });
  const listed = async (person: Person, closed = false) => {
    const { reports, people } = await person.send('report:list', { serverId, closed });
    for (const { authorId, reasons } of reports)
      for (const id of [authorId, ...reasons.map(({ userId }) => userId)])
        expect(people).to.have.property(id);
    return reports;
  };
  const idsFor = async (person: Person, closed = false) =>
    (await listed(person, closed)).map(({ messageId }) => messageId);
  /** The number that a new tab receives. */
  const countFor = async (person: Person) => {
    const tab = await person.newTab();
    tab.close();
    const { ready } = tab;
    if (ready.status !== 'snapshot') throw new Error('expected a snapshot');
    return ready.state.taskCounts.find((one) => one.serverId === serverId)?.reports ?? 0;
  };
  const told = (person: Person, open: number) =>
    person.waitFor('changes', ({ changes }) =>
      changes.some((change) =>
        open === 0
          ? change.type === 'taskCount:deleted'
          : change.type === 'taskCount:updated' && change.taskCount.reports === open,
      ),
    );

  it('reach moderators and the owner with the text and the reasons', async () => {
    const messageId = await say(ben);
    await report(cem, messageId, { note: 'Third time today' });
    await Promise.all([ann, mod].map((person) => told(person, 1)));
    for (const person of [ann, mod]) {
      const [found, ...more] = await listed(person);
      expect(more).to.deep.equal([]);
      expect(found).to.deep.include({ messageId, channelId, authorId: ben.id, body: 'Buy now' });
      expect(found).to.include({ files: 0, count: 1 });
      expect(found?.reasons[0]).to.include({
        ...{ userId: cem.id, kind: 'spam', note: 'Third time today' },
      });
      expect(await countFor(person)).to.equal(1);
    }
    for (const person of [ben, cem]) {
      expect((await person.expectError('report:list', { serverId })).code).to.equal('forbidden');
      expect(await countFor(person)).to.equal(0);
    }
  });

  it('reach members while a custom role lets them manage messages', async () => {
    const { role } = await ann.send('role:create', {
      ...{ serverId, name: 'Keeper', permissions: ['manage messages'] },
    });
    const keeper = { serverId, userId: ben.id, roleId: role.id };
    const permit = (...permissions: ('manage messages' | 'pin messages')[]) =>
      ann.send('role:update', { serverId, roleId: role.id, permissions });
    const messageId = await say(cem);
    await report(mod, messageId);
    expect((await ben.expectError('report:list', { serverId })).code).to.equal('forbidden');

    const steps: [change: () => Promise<unknown>, open: number][] = [
      [() => ann.send('role:give', keeper), 1],
      [() => ann.send('role:take', keeper), 0],
      [() => mod.send('role:give', keeper), 1],
      [() => permit('pin messages'), 0],
      [() => permit('pin messages', 'manage messages'), 1],
      [() => ann.send('role:delete', { serverId, roleId: role.id }), 0],
    ];
    for (const [change, open] of steps) {
      const news = told(ben, open);
      await change();
      await news;
      expect(await countFor(ben)).to.equal(open);
      if (open === 0)
        expect((await ben.expectError('report:list', { serverId })).code).to.equal('forbidden');
      else expect(await idsFor(ben)).to.deep.equal([messageId]);
    }
    expect(await idsFor(mod)).to.deep.equal([messageId]);
  });

  it('are closed by members with such a role, except reports of their own and each other’s messages', async () => {
    const { role } = await ann.send('role:create', {
      ...{ serverId, name: 'Keeper', permissions: ['manage messages'] },
    });
    for (const { id: userId } of [ben, cem])
      await ann.send('role:give', { serverId, userId, roleId: role.id });
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    const [doras, bens] = [await say(dora), await say(ben)];
    await report(ben, doras);
    await report(dora, bens);
    expect(await idsFor(ben)).to.deep.equal([doras]);
    expect(await idsFor(cem)).to.deep.equal([doras]);
    for (const person of [mod, ann]) expect(await idsFor(person)).to.deep.equal([doras, bens]);
    const news = Promise.all([ben, cem].map((person) => told(person, 0)));
    await close(cem, doras);
    await news;
    await close(cem, bens);
    expect(await idsFor(mod)).to.deep.equal([bens]);
    expect(await idsFor(ben, true)).to.deep.equal([doras]);
  });

  it('become one report for each message, and count each person once', async () => {
    const messageId = await say(ben);
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    await Promise.all([cem, dora, cem, dora].map((person) => report(person, messageId)));
    const [found] = await listed(ann);
    expect(found?.count).to.equal(2);
    expect(found?.reasons.map(({ userId }) => userId)).to.have.members([cem.id, dora.id]);
    expect(await countFor(ann)).to.equal(1);
  });

  it('keep the text when the author edits or deletes the message', async () => {
    const messageId = await say(ben, 'Something bad');
    await report(cem, messageId);
    await ben.send('message:edit', { messageId, body: 'Something nice' });
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    await report(dora, messageId);
    const [edited] = await listed(mod);
    expect(edited).to.include({ body: 'Something bad', laterBody: 'Something nice', count: 2 });
    await ben.send('message:delete', { messageId });
    expect((await listed(mod))[0]).to.include({ body: 'Something bad', isDeleted: true });
    const again = { messageId, kind: 'abuse' } as const;
    expect((await ann.expectError('report:create', again)).code).to.equal('conflict');
  });

  it('do not reach their author, and reach only the owner if the author is a moderator', async () => {
    const byMod = await say(mod);
    await report(cem, byMod);
    expect(await idsFor(ann)).to.deep.equal([byMod]);
    expect(await idsFor(mod)).to.deep.equal([]);
    expect(await countFor(mod)).to.equal(0);
    await close(mod, byMod, 'dismissed');
    expect(await idsFor(ann)).to.deep.equal([byMod]);
    const { bot, token } = await mod.send('bot:create', { name: 'Spy' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    const spy = await connectBot(app.url, token);
    const { message } = await spy.send('message:send', { timelineId: channelId, body: 'Psst' });
    spy.close();
    await report(cem, message.id);
    expect(await idsFor(mod)).to.deep.equal([]);
    await close(ann, message.id);
    const byBen = await say(ben);
    await report(cem, byBen);
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    expect(await idsFor(ben)).to.deep.equal([]);
    expect(await idsFor(ann)).to.deep.equal([byMod, byBen]);
  });

  it('stay hidden from a moderator whose message was reported, and stay if they remove the reporter', async () => {
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    const [first, byMod, last] = [await say(ben), await say(mod), await say(ben)];
    await report(dora, first);
    await told(mod, 1);
    const before = mod.received('changes').length;
    await report(cem, byMod);
    await told(ann, 2);
    await mod.send('report:list', { serverId });
    const news = mod.received('changes').slice(before);
    expect(JSON.stringify(news)).not.to.include('taskCount');
    await report(dora, last);
    for (const closed of [false, true]) {
      const page = await mod.send('report:list', { serverId, closed, after: byMod });
      expect(page.reports).to.deep.equal([]);
    }
    const { reports } = await ann.send('report:list', { serverId, after: byMod });
    expect(reports.map(({ messageId }) => messageId)).to.deep.equal([last]);
    await mod.send('member:remove', { serverId, userId: cem.id });
    expect(await idsFor(ann)).to.deep.equal([first, byMod, last]);
  });

  it('stay for moderators if the author has a role that lets them remove the reporter', async () => {
    const permissions: Grantable[] = ['manage members', 'manage messages'];
    for (const granted of [permissions.slice(0, 1), permissions]) {
      const name = granted.join();
      const { role } = await ann.send('role:create', { serverId, name, permissions: granted });
      await ann.send('role:give', { serverId, userId: ben.id, roleId: role.id });
      const messageId = await say(ben, name);
      await report(cem, messageId);
      await ben.send('member:remove', { serverId, userId: cem.id });
      expect(await idsFor(mod)).to.include(messageId);
      await cem.send('server:join', { code });
      await ann.send('role:delete', { serverId, roleId: role.id });
    }
  });

  it('are refused for own, deleted, hidden and direct messages, and for those of the owner', async () => {
    const refused = async (person: Person, messageId: string) =>
      (await person.expectError('report:create', { messageId, kind: 'other' })).code;
    const mine = await say(ben);
    expect(await refused(ben, mine)).to.equal('conflict');
    expect(await refused(ben, await say(ann))).to.equal('conflict');
    const gone = await say(cem);
    await cem.send('message:delete', { messageId: gone });
    expect(await refused(ben, gone)).to.equal('conflict');
    const { conversation } = await cem.send('conversation:create', { userIds: [ben.id] });
    const direct = await say(cem, 'Hi', conversation.id);
    expect(await refused(ben, direct)).to.equal('conflict');
    const stranger = await app.person('Stranger');
    for (const id of [mine, direct, v7()])
      expect(await refused(stranger, id)).to.equal('not_found');
    const secret = { serverId, name: 'secret', private: true, userIds: [ben.id] };
    const hidden = (await ann.send('channel:create', secret)).channel.id;
    const inside = await say(ben, 'Psst', hidden);
    expect(await refused(cem, inside)).to.equal('not_found');
    expect(await listed(ann)).to.deep.equal([]);
  });

  it('reach moderators from a private channel that they can’t see', async () => {
    const secret = { serverId, name: 'secret', private: true, userIds: [ben.id, cem.id] };
    const { id } = (await ann.send('channel:create', secret)).channel;
    await report(cem, await say(ben, 'Psst', id));
    const [found] = await listed(mod);
    expect(found).to.include({ channelId: id, body: 'Psst' });
  });

  it('can be made by guests and by people who are timed out', async () => {
    const guest = await app.guest('Guest');
    await guest.send('server:join', { code });
    const messageId = await say(ben);
    await ann.send('member:timeOut', { serverId, userId: cem.id, seconds: 600 });
    for (const person of [cem, guest]) await report(person, messageId);
    expect((await listed(ann))[0]?.count).to.equal(2);
  });

  it('are closed once, with an entry in the audit log, and stay listed as closed', async () => {
    const [one, other] = [await say(ben), await say(ben)];
    await report(cem, one);
    await report(cem, other);
    await told(ann, 2);
    await Promise.all([close(mod, one), close(ann, one, 'dismissed'), close(mod, one)]);
    expect(await countFor(ann)).to.equal(1);
    expect(await idsFor(mod)).to.deep.equal([other]);
    const [done, ...more] = await listed(ann, true);
    expect(more).to.deep.equal([]);
    expect(done?.closed?.by).to.be.oneOf([mod.id, ann.id]);
    const actions: Input<'audit:list'>['actions'] = ['report:handled', 'report:dismissed'];
    const { entries } = await ann.send('audit:list', { serverId, actions });
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include({ userId: ben.id, subjectId: one });
    await close(ann, other, 'dismissed');
    await told(mod, 0);
    expect(await countFor(mod)).to.equal(0);
  });

  it('reopen when the message is reported after an edit, and handled ones also if another person reports it', async () => {
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    const messageId = await say(ben);
    await report(cem, messageId);
    await close(ann, messageId, 'dismissed');
    await report(dora, messageId);
    expect(await idsFor(ann)).to.deep.equal([]);
    await ben.send('message:edit', { messageId, body: 'Buy it' });
    await report(cem, messageId);
    expect((await listed(ann))[0]).to.include({ body: 'Buy it', count: 1 });
    await close(ann, messageId, 'handled');
    await report(cem, messageId);
    expect(await idsFor(ann)).to.deep.equal([]);
    await report(dora, messageId);
    expect((await listed(ann))[0]).to.include({ count: 2 });
  });

  it('stay dismissed if the text that they had last is reported again', async () => {
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    const messageId = await say(ben);
    await report(cem, messageId);
    await ben.send('message:edit', { messageId, body: 'Buy it' });
    const before = mod.received('changes').length;
    await report(dora, messageId);
    await until(() => JSON.stringify(mod.received('changes').slice(before)).includes('taskCount'));
    await close(mod, messageId, 'dismissed');
    for (const person of [cem, dora]) await report(person, messageId);
    expect(await idsFor(ann)).to.deep.equal([]);
  });

  it('are counted for new moderators, and no longer for former ones', async () => {
    await report(cem, await say(ben));
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    const become = (role: 'moderator' | 'member', userId = dora.id) =>
      ann.send('member:update', { serverId, userId, role });
    await become('moderator');
    await told(dora, 1);
    await become('member');
    await told(dora, 0);
    expect(await countFor(dora)).to.equal(0);
    await told(mod, 1);
    await ann.send('member:remove', { serverId, userId: mod.id });
    await told(mod, 0);
    expect(await countFor(mod)).to.equal(0);
  });

  it('move to the new owner with the server', async () => {
    await report(cem, await say(mod));
    expect(await countFor(ann)).to.equal(1);
    await ann.send('server:transfer', { serverId, userId: ben.id });
    await ben.send('server:acceptTransfer', { serverId });
    expect(await countFor(ben)).to.equal(1);
    expect(await countFor(ann)).to.equal(0);
    await told(ann, 0);
  });

  it('about a moderator end when they become the owner', async () => {
    await report(cem, await say(mod));
    await ann.send('server:transfer', { serverId, userId: mod.id });
    await mod.send('server:acceptTransfer', { serverId });
    await told(ann, 0);
    for (const person of [ann, mod]) {
      expect(await idsFor(person)).to.deep.equal([]);
      expect(await countFor(person)).to.equal(0);
    }
  });

  it('end with the server', async () => {
    await report(cem, await say(ben));
    await ann.send('server:delete', { serverId });
    await told(mod, 0);
    expect(await countFor(mod)).to.equal(0);
    expect(
      await query(app.db, 'select from reports where server_id = $1', [serverId]),
    ).to.have.length(0);
  });

  it('are deleted when the people who made them are banned, unless others reported the message, too', async () => {
    const guests = await Promise.all(['Troll', 'Other'].map((name) => app.guest(name)));
    for (const guest of guests) await guest.send('server:join', { code });
    const [shared, junk] = [await say(ben), await say(cem)];
    await report(cem, shared);
    for (const guest of guests) for (const id of [shared, junk]) await report(guest, id);
    await told(mod, 2);
    await mod.send('ban:createMany', { serverId, userIds: guests.map(({ id }) => id) });
    expect(await countFor(mod)).to.equal(1);
    const [left, ...more] = await listed(mod);
    expect(more).to.deep.equal([]);
    expect(left).to.include({ messageId: shared, count: 1 });
  });

  it('are limited for each person and server, and guests can fill at most half of the queue', async () => {
    const guest = await app.guest('Guest');
    await guest.send('server:join', { code });
    const ids: string[] = [];
    for (let i = 0; i <= quotas.openReportsPerPerson; i += 1) ids.push(await say(ben, `${i}`));
    const last = ids.pop()!;
    for (const id of ids) await report(cem, id);
    const input = { messageId: last, kind: 'spam' } as const;
    expect((await cem.expectError('report:create', input)).code).to.equal('conflict');
    await report(guest, last);
    const other = await app.guest('Other');
    const fill = (count: number, { id, user }: Person) =>
      query(
        app.db,
        `with made as (
           insert into reports (message_id, server_id, channel_id, position, author_id, body, files, owner_only, by_guest)
           select gen_random_uuid(), $1, $2, 1, $3, '', 0, false, $6::boolean from generate_series(1, $4::int)
           returning message_id)
         insert into report_reasons (message_id, user_id, kind) select message_id, $5, 'spam' from made`,
        [serverId, channelId, ben.id, count, id, user.kind === 'guest'],
      );
    await fill(quotas.openReports / 2 - 1, other);
    const more = { messageId: await say(ben), kind: 'spam' } as const;
    expect((await guest.expectError('report:create', more)).code).to.equal('conflict');
    await report(mod, more.messageId);
    await fill(quotas.openReports / 2, ben);
    const over = { messageId: await say(ben), kind: 'spam' } as const;
    expect((await ann.expectError('report:create', over)).code).to.equal('conflict');
    const found: string[] = [];
    for (let after: string | undefined, isAll = false; !isAll; after = found.at(-1)) {
      const page = await ann.send('report:list', { serverId, after });
      found.push(...page.reports.map(({ messageId }) => messageId));
      isAll = !page.more.after;
    }
    expect(new Set(found).size).to.equal(found.length);
    expect(found).to.have.length(quotas.openReports + ids.length + 1);
    expect(found.slice(0, ids.length)).to.deep.equal(ids);
  });

  it('are deleted a month after they are closed', async () => {
    const messageId = await say(ben);
    await report(cem, messageId);
    await close(ann, messageId);
    await query(app.db, `update reports set closed_at = closed_at - interval '31 days'`);
    app.pass(60_000);
    await until(async () => (await listed(ann, true)).length === 0);
  });
});

describe('reports in a server without an owner', () => {
  for (const [kind, isMember] of [
    ['a member', true],
    ['a stranger', false],
  ] as const)
    it(`are counted for ${kind} who becomes its owner`, async () => {
      const app = await startApp({});
      const [ann, ben, cem] = (await Promise.all(
        ['Ann', 'Ben', 'Cem'].map((name) => app.person(name)),
      )) as [Person, Person, Person];
      const [lobby] = (await ann.send('server:list', {})).servers;
      const { id: serverId, defaultChannelId: timelineId } = lobby!;
      if (!isMember) await ann.send('server:leave', { serverId });
      const { message } = await ben.send('message:send', { timelineId, body: 'Buy now' });
      await cem.send('report:create', { messageId: message.id, kind: 'spam' });
      await ann.send('server:join', { code: (await ownerInvite(app.db))! });
      await ann.waitFor('changes', ({ changes }) =>
        changes.some(({ type }) => type === 'taskCount:updated'),
      );
      const { ready } = await ann.newTab();
      const counts = ready.status === 'snapshot' ? ready.state.taskCounts : [];
      expect(counts.map(({ reports }) => reports)).to.deep.equal([1]);
      await app.close();
    });
});

describe('closing reports', () => {
  it('costs more if more people can answer reports, because it locks their counts', async () => {
    const app = await startStrictApp();
    const closedBy = async (moderators: number) => {
      const owner = await app.person();
      const { serverId } = await openPlace(owner);
      await addSilentMembers(app, serverId, moderators);
      const all = "update members set role = 'moderator' where server_id = $1 and role = 'member'";
      await query(app.db, all, [serverId]);
      const input = { serverId, messageIds: [v7()], outcome: 'handled' as const };
      for (let times = 0; ; times += 1) {
        const { ok } = await owner.ask('report:close', input);
        if (!ok) return times;
      }
    };
    expect(await closedBy(0)).to.equal(commandRates.write.points);
    expect(await closedBy(500)).to.equal(commandRates.write.points / 6);
    await app.close();
  });
});
