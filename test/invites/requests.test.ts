import { expect } from 'chai';
import { endAwayGuests } from '../../server/accounts/former-guests.ts';
import { query } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { enterAs, post, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';
import { describeTopologies } from '../support/topologies.ts';

const serversOf = async (person: Person) =>
  (await person.send('server:list', {})).servers.map(({ id }) => id);
const askedBy = async (by: Person, serverId: string) =>
  (await by.send('joinRequest:list', { serverId })).requests.map(({ userId }) => userId);

/** Adds requests of people who never connect. */
async function addRequests(
  { db }: TestApp,
  serverId: string,
  many: number,
  byGuest: boolean,
): Promise<void> {
  await query(
    db,
    `with room as (
       insert into rooms (id, kind)
       select gen_random_uuid(), 'user' from generate_series(1, $2::int) returning id
     ), made as (
       insert into users (id, kind, display_name) select id, 'guest', 'Gus' from room returning id
     ) insert into join_requests (server_id, user_id, by_guest) select $1, id, $3 from made`,
    [serverId, many, byGuest],
  );
}

describe('a server that approves new members', () => {
  let app: TestApp;
  let ann: Person;
  let mod: Person;
  let cem: Person;
  let serverId: string;
  let channelId: string;
  let code: string;
  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, mod] = await Promise.all([app.person('Ann'), app.person('Mod')]);
  });
  beforeEach(async () => {
    cem = await app.person('Cem');
    ({ serverId, channelId, code } = await openPlace(ann, mod));
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
    await approve();
  });
  after(() => app.close());

  const approve = (approval = true) => ann.send('server:update', { serverId, approval });
  const ask = (person: Person, by = code) => person.send('joinRequest:create', { code: by });
  const accept = (person: Person, by = mod) =>
    by.send('joinRequest:accept', { serverId, userId: person.id });
  const decline = (...people: Person[]) =>
    mod.send('joinRequest:decline', { serverId, userIds: people.map(({ id }) => id) });
  const preview = async (person: Person) => (await person.send('invite:get', { code })).invite;
  const usesOf = async (code: string) =>
    (await ann.send('invite:list', { serverId })).invites.find((one) => one.code === code)?.uses;
  /** The numbers that a new tab receives. */
  const countsFor = async (person: Person) => {
    const tab = await person.newTab();
    tab.close();
    const { ready } = tab;
    if (ready.status !== 'snapshot') throw new Error('expected a snapshot');
    const found = ready.state.taskCounts.find((one) => one.serverId === serverId);
    return found && [found.reports, found.requests];
  };

  it('admits a person once a request is accepted, and then shows them the server', async () => {
    expect(await cem.expectError('server:join', { code })).to.include({ code: 'forbidden' });
    expect(await preview(cem)).to.include({ approval: true, requested: false });
    await ask(cem);
    expect(await preview(cem)).to.include({ approval: true, requested: true });
    expect(await preview(ann)).to.include({ requested: false });
    expect(await serversOf(cem)).to.deep.equal([]);
    await cem.expectError('message:send', { timelineId: channelId, body: 'Hi' });
    const { requests, people } = await mod.send('joinRequest:list', { serverId });
    expect(requests).to.have.length(1);
    expect(requests[0]).to.include({ userId: cem.id, invitedBy: ann.id });
    expect(people).to.include.keys(cem.id, ann.id);
    const { requests: mine } = await cem.send('joinRequest:mine', {});
    expect(mine[0]).to.include({ serverId, serverName: 'Place' });
    await accept(cem);
    await cem.waitFor('changes', ({ changes }) =>
      changes.some((change) => change.type === 'server:joined' && change.server.id === serverId),
    );
    await cem.send('message:send', { timelineId: channelId, body: 'Hi' });
    expect(await askedBy(mod, serverId)).to.deep.equal([]);
    expect((await cem.send('joinRequest:mine', {})).requests).to.deep.equal([]);
    expect(
      (await mod.expectError('joinRequest:accept', { serverId, userId: cem.id })).code,
    ).to.equal('not_found');
  });

  it('declines several requests, and lets the people ask again', async () => {
    const dora = await app.person('Dora');
    await ask(cem);
    await ask(dora);
    await decline(cem, dora, ann);
    expect(await askedBy(mod, serverId)).to.deep.equal([]);
    expect(await preview(cem)).to.include({ requested: false });
    await ask(cem);
    expect(await askedBy(mod, serverId)).to.deep.equal([cem.id]);
    const { entries } = await ann.send('audit:list', { serverId });
    const acts = entries.map(({ action, actorId, userId }) => [action, actorId, userId]);
    expect(acts.slice(0, 2)).to.have.deep.members([
      ['joinRequest:declined', mod.id, cem.id],
      ['joinRequest:declined', mod.id, dora.id],
    ]);
  });

  it('takes one use of the invite for each request, and none for members', async () => {
    const before = (await usesOf(code)) ?? 0;
    await ask(cem);
    await ask(cem);
    await ask(mod);
    expect(await usesOf(code)).to.equal(before + 1);
    await accept(cem);
    await ask(cem);
    await cem.send('server:join', { code });
    expect(await usesOf(code)).to.equal(before + 1);
    expect(await askedBy(mod, serverId)).to.deep.equal([]);
  });

  it('refuses requests by deleted and paused invites, and by guests if the invite excludes them', async () => {
    const guest = await app.guest();
    const refused = async (person: Person, by = code) =>
      (await person.expectError('joinRequest:create', { code: by })).code;
    const { invite } = await ann.send('invite:create', { serverId, guests: false });
    expect(await refused(guest, invite.code)).to.equal('forbidden');
    await ask(cem, invite.code);
    await ann.send('invite:delete', { code: invite.code });
    expect(await refused(cem, invite.code)).to.equal('not_found');
    await ann.send('invite:pause', { serverId, seconds: 60 });
    expect(await refused(guest)).to.equal('conflict');
    await ann.send('invite:pause', { serverId, seconds: 0 });
    await ask(guest);
    expect(await askedBy(mod, serverId)).to.deep.equal([cem.id, guest.id]);
  });

  it('signs up new accounts and guests with an invite, and stores their requests', async () => {
    const guest = await enterAs(app.url, 'guest', { displayName: 'Gus', invite: code });
    const account = { username: 'newcomer', password: 'a long password', invite: code };
    const newcomer = await enterAs(app.url, 'register', account);
    expect([await serversOf(guest), await serversOf(newcomer)]).to.deep.equal([[], []]);
    expect(await askedBy(mod, serverId)).to.deep.equal([guest.id, newcomer.id]);
    await accept(guest);
    await until(async () => (await serversOf(guest)).includes(serverId));
  });

  it('shows people that they wait by an invite without uses left, and takes it no second time', async () => {
    const { invite } = await ann.send('invite:create', { serverId, maxUses: 1 });
    await ask(cem, invite.code);
    const seen = async (person: Person) => person.ask('invite:get', { code: invite.code });
    expect(await seen(cem)).to.have.nested.property('value.invite.requested', true);
    expect(await seen(ann)).to.have.nested.property('error.code', 'not_found');
    await ask(cem, invite.code);
    expect(await askedBy(mod, serverId)).to.deep.equal([cem.id]);
    await approve(false);
    await cem.send('server:join', { code: invite.code });
    expect(await serversOf(cem)).to.deep.equal([serverId]);
    expect((await cem.send('joinRequest:mine', {})).requests).to.deep.equal([]);
  });

  it('is joined by a waiting person who signs in with the invite after approval is turned off', async () => {
    await ask(cem);
    await approve(false);
    const { username } = cem.user;
    const given = { username, password: `the password of ${username}`, invite: code };
    expect(await serversOf(await enterAs(app.url, 'login', given))).to.deep.equal([serverId]);
    expect(await askedBy(mod, serverId)).to.deep.equal([]);
  });

  it('receives a request from a guest who registers with the invite', async () => {
    const { invite } = await ann.send('invite:create', { serverId, guests: false });
    const guest = await app.guest();
    const account = { username: 'claimed', password: 'a long password', invite: invite.code };
    const registered = await post(app.url, '/api/auth/register', account, { cookie: guest.cookie });
    expect(registered.status).to.equal(201);
    expect(await askedBy(mod, serverId)).to.deep.equal([guest.id]);
  });

  it('receives no request from a sign-in with the invite', async () => {
    const { username } = cem.user;
    const given = { username, password: `the password of ${username}`, invite: code };
    const again = await enterAs(app.url, 'login', given);
    expect(again.id).to.equal(cem.id);
    expect(await serversOf(again)).to.deep.equal([]);
    expect(await askedBy(mod, serverId)).to.deep.equal([]);
  });

  it('refuses to accept a guest after the server was closed to guests', async () => {
    const guest = await app.guest();
    await ask(guest);
    await ann.send('server:update', { serverId, closedToGuests: true });
    const which = { serverId, userId: guest.id };
    expect((await mod.expectError('joinRequest:accept', which)).code).to.equal('conflict');
    expect(await askedBy(mod, serverId)).to.deep.equal([guest.id]);
    await ann.send('server:update', { serverId, closedToGuests: false });
    await accept(guest);
  });

  it('publishes the numbers only to members who can answer', async () => {
    const [holder, member, dora] = [await app.person(), await app.person(), await app.person()];
    for (const person of [holder, member]) {
      await ask(person);
      await accept(person);
    }
    const made = { serverId, name: 'Doorkeeper', permissions: ['manage members' as const] };
    const { role } = await ann.send('role:create', made);
    await ask(cem);
    await ann.send('role:give', { serverId, userId: holder.id, roleId: role.id });
    await ask(dora);
    const { message } = await member.send('message:send', { timelineId: channelId, body: 'Buy' });
    await holder.send('report:create', { messageId: message.id, kind: 'spam' });
    expect(await countsFor(ann)).to.deep.equal([1, 2]);
    expect(await countsFor(mod)).to.deep.equal([1, 2]);
    expect(await countsFor(holder)).to.deep.equal([0, 2]);
    for (const one of [member, cem, dora]) expect(await countsFor(one)).to.equal(undefined);
    await ann.send('role:update', { serverId, roleId: role.id, permissions: ['manage messages'] });
    expect(await countsFor(holder)).to.deep.equal([1, 0]);
    await ann.send('role:take', { serverId, userId: holder.id, roleId: role.id });
    expect(await countsFor(holder)).to.equal(undefined);
    await cem.send('joinRequest:cancel', { serverId });
    await accept(dora);
    expect(await countsFor(mod)).to.deep.equal([1, 0]);
    await ann.send('member:update', { serverId, userId: mod.id, role: 'member' });
    expect(await countsFor(mod)).to.equal(undefined);
  });

  it('deletes the request of a banned person, and refuses new ones', async () => {
    await ask(cem);
    await mod.send('ban:create', { serverId, userId: cem.id, reason: 'Spam' });
    expect(await askedBy(mod, serverId)).to.deep.equal([]);
    expect(await countsFor(ann)).to.equal(undefined);
    expect((await cem.expectError('joinRequest:create', { code })).code).to.equal('not_found');
    // Someone who never asked still looks like a missing account.
    const stranger = await app.person();
    const ban = { serverId, userId: stranger.id };
    expect((await mod.expectError('ban:create', ban)).code).to.equal('not_found');
  });

  it('keeps requests when approval is turned off, and deletes a person’s request when they join', async () => {
    const dora = await app.person('Dora');
    await ask(cem);
    await ask(dora);
    await approve(false);
    expect(await askedBy(mod, serverId)).to.deep.equal([cem.id, dora.id]);
    const before = await usesOf(code);
    await cem.send('server:join', { code });
    expect(await usesOf(code)).to.equal(before);
    expect(await askedBy(mod, serverId)).to.deep.equal([dora.id]);
    expect(await countsFor(mod)).to.deep.equal([0, 1]);
    await accept(dora);
    // Joins, because the server does not approve new members.
    const eve = await app.person('Eve');
    await ask(eve);
    expect(await serversOf(eve)).to.include(serverId);
    const { entries } = await ann.send('audit:list', { serverId });
    const settings = entries.map(({ action }) => action).filter((one) => one.includes('approval'));
    expect(settings).to.deep.equal(['server:approvalOff', 'server:approvalOn']);
  });

  it('reserves half of the requests for registered users, and limits the total', async () => {
    const fill = (many: number, byGuest: boolean) => addRequests(app, serverId, many, byGuest);
    await fill(quotas.joinRequests / 2, true);
    const guest = await app.guest();
    expect((await guest.expectError('joinRequest:create', { code })).code).to.equal('conflict');
    await ask(cem);
    await fill(quotas.joinRequests / 2 - 1, false);
    const dora = await app.person();
    expect((await dora.expectError('joinRequest:create', { code })).code).to.equal('conflict');
    expect(await askedBy(mod, serverId)).to.have.length(quotas.joinRequests);
    await decline(cem);
    await ask(dora);
  });

  it('limits the requests of one person', async () => {
    await query(
      app.db,
      `with room as (
         insert into rooms (id, kind)
         select gen_random_uuid(), 'server' from generate_series(1, $2::int) returning id
       ), server as (
         insert into servers (id, name, version, default_channel_id)
         select id, 'Other', 1, id from room returning id
       ), channel as (
         insert into channels (id, server_id, name, folded_name, version, position)
         select id, id, 'general', 'general', 1, 1 from server
       ) insert into join_requests (server_id, user_id, by_guest) select id, $1, false from server`,
      [cem.id, quotas.joinRequestsPerPerson],
    );
    expect((await cem.expectError('joinRequest:create', { code })).code).to.equal('conflict');
    const { requests } = await cem.send('joinRequest:mine', {});
    expect(requests).to.have.length(quotas.joinRequestsPerPerson);
    await cem.send('joinRequest:cancel', { serverId: requests[0]!.serverId });
    await ask(cem);
    await query(app.db, `delete from servers where name = 'Other'`);
  });

  it('deletes the request of a guest whose account ended', async () => {
    const guest = await enterAs(app.url, 'guest', { displayName: 'Gus', invite: code });
    await ask(cem);
    await guest.send('session:logout', {});
    await query(app.db, `update users set away_since = now() - interval '31 days' where id = $1`, [
      guest.id,
    ]);
    await endAwayGuests(app);
    expect(await askedBy(mod, serverId)).to.deep.equal([cem.id]);
    expect(await countsFor(mod)).to.deep.equal([0, 1]);
  });
});

describe('Lobby that approves new members', () => {
  it('makes new accounts and guests wait', async () => {
    const app = await startApp({ PARLEY_LOBBY: 'all' });
    const owner = await app.owner();
    const [lobby] = (await owner.send('server:list', {})).servers;
    const serverId = lobby!.id;
    await owner.send('server:update', { serverId, approval: true });
    const [ben, guest] = [await app.person('Ben'), await app.guest()];
    for (const one of [ben, guest]) {
      expect(await serversOf(one)).to.deep.equal([]);
      const { requests } = await one.send('joinRequest:mine', {});
      expect(requests.map((request) => request.serverId)).to.deep.equal([serverId]);
    }
    const { requests } = await owner.send('joinRequest:list', { serverId });
    expect(requests.map(({ userId, invitedBy }) => [userId, invitedBy])).to.deep.equal([
      [ben.id, null],
      [guest.id, null],
    ]);
    await owner.send('joinRequest:accept', { serverId, userId: guest.id });
    expect(await serversOf(guest)).to.deep.equal([serverId]);
    // Signing up does not fail when too many people wait.
    await addRequests(app, serverId, quotas.joinRequests, false);
    for (const one of [await app.person(), await app.guest()])
      expect((await one.send('joinRequest:mine', {})).requests).to.deep.equal([]);
    await app.close();
  });
});

describeTopologies('requests to join, answered concurrently', (topology) => {
  it('have exactly one outcome', async () => {
    const [ann, mod] = [await topology().person('Ann'), await topology().person('Mod')];
    const { serverId, code } = await openPlace(ann, mod);
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
    await ann.send('server:update', { serverId, approval: true });
    const cem = await topology().person('Cem');
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      await cem.send('joinRequest:create', { code });
      const which = { serverId, userId: cem.id };
      const [one, other, declined] = await Promise.all([
        round === 1 ? undefined : ann.ask('joinRequest:accept', which),
        round % 2 === 0 ? mod.ask('joinRequest:accept', which) : undefined,
        round % 3 === 0
          ? undefined
          : mod.ask('joinRequest:decline', { serverId, userIds: [cem.id] }),
      ]);
      const accepted = [one, other].filter((answer) => answer?.ok === true).length;
      expect(accepted).to.be.at.most(1);
      expect(declined?.ok).to.not.equal(false);
      const isMember = (await serversOf(cem)).includes(serverId);
      expect(isMember).to.equal(accepted === 1);
      expect(await askedBy(ann, serverId)).to.deep.equal([]);
      outcomes.add(isMember ? 'member' : 'declined');
      if (isMember) await cem.send('server:leave', { serverId });
    }
    expect([...outcomes]).to.have.members(['member', 'declined']);
  });

  it('are required on both nodes after approval is turned on', async () => {
    const ann = await topology().person('Ann');
    const { serverId, code } = await openPlace(ann);
    const people = [await topology().person(), await topology().person()];
    for (let round = 0; round < 5; round += 1) {
      let isAnswered = false;
      const comeAndGo = async (person: Person) => {
        let [isLate, after] = [false, 0];
        while (!isLate || after === 0) {
          isLate = isAnswered;
          const answer = await person.ask('server:join', { code });
          if (isLate) after += 1;
          if (answer.ok) expect(isLate).to.equal(false);
          else expect(answer.error.code).to.equal('forbidden');
          if (answer.ok) await person.send('server:leave', { serverId });
        }
      };
      const coming = people.map(comeAndGo);
      await ann.send('server:update', { serverId, approval: true });
      isAnswered = true;
      await Promise.all(coming);
      await ann.send('server:update', { serverId, approval: false });
    }
  });
});
