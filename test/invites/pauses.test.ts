import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { enterAs, post, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { isRightLockAwaited, withTableLock } from '../support/table-lock.ts';
import { until } from '../support/time.ts';
import { describeTopologies } from '../support/topologies.ts';

describe('a pause of invites', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let code: string;
  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => void ({ serverId, code } = await openPlace(ann, ben)));
  after(() => app.close());

  const pause = (seconds = 3_600, by = ann) => by.send('invite:pause', { serverId, seconds });
  const join = (person: Person) => person.ask('server:join', { code });
  const expectJoined = async (person: Person) =>
    expect(await join(person)).to.include({ ok: true });
  const expectRefused = async (person: Person) =>
    expect(await join(person)).to.have.nested.property('error.code', 'conflict');
  const pass = () => query(app.db, `update invite_pauses set until = until - interval '1 hour'`);
  const actions = async () => {
    const { entries } = await ann.send('audit:list', { serverId });
    return entries
      .filter(({ action }) => action === 'invite:paused' || action === 'invite:resumed')
      .map(({ action, actorId, detail }) => [action, actorId, detail]);
  };

  it('expires or ends on request, is shown to people with a link, and is in the audit log', async () => {
    const [cem, dora] = await Promise.all([app.person('Cem'), app.person('Dora')]);
    const shown = async () => (await cem.send('invite:get', { code })).invite.pausedUntil ?? null;
    const listed = async () => (await ann.send('invite:list', { serverId })).pausedUntil;
    expect(await shown()).to.equal(null);
    const { pausedUntil } = await pause();
    expect(Date.parse(pausedUntil ?? '')).to.be.above(Date.now());
    expect([await shown(), await listed()]).to.deep.equal([pausedUntil, pausedUntil]);
    await expectRefused(cem);
    await pass();
    expect([await shown(), await listed()]).to.deep.equal([null, null]);
    await expectJoined(cem);
    const again = await pause(quotas.invitePauseSeconds);
    await expectRefused(dora);
    expect(await pause(0)).to.deep.equal({ pausedUntil: null });
    await pause(0);
    await expectJoined(dora);
    expect(await actions()).to.deep.equal([
      ['invite:resumed', ann.id, null],
      ['invite:paused', ann.id, again.pausedUntil],
      ['invite:paused', ann.id, pausedUntil],
    ]);
  });

  it('needs a moderator', async () => {
    const cem = await app.person('Cem');
    const input = { serverId, seconds: 60 };
    expect((await cem.expectError('invite:pause', input)).code).to.equal('not_found');
    expect((await ben.expectError('invite:pause', input)).code).to.equal('forbidden');
    await expectJoined(cem);
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    await pause(60, ben);
    await expectRefused(await app.person('Dora'));
  });

  it('refuses guests and registrations, without creating an account or counting a use', async () => {
    const form = { username: 'paused.cem', password: 'a long enough one', invite: code };
    const guest = { displayName: 'Paused guest', invite: code };
    await pause();
    for (const [path, input] of [
      ['register', form],
      ['guest', guest],
    ] as const) {
      const reply = await post(app.url, `/api/auth/${path}`, input);
      expect(reply.status, path).to.equal(409);
    }
    const made = await query(app.db, `select from users where username = $1 or display_name = $2`, [
      form.username,
      guest.displayName,
    ]);
    expect(made).to.deep.equal([]);
    const { invite } = await ann.send('invite:create', { serverId, maxUses: 1 });
    await query(app.db, 'update invites set uses = 1 where code = $1', [invite.code]);
    const usedUp = await post(app.url, '/api/auth/register', { ...form, invite: invite.code });
    expect(usedUp.status).to.equal(404);
    const uses = async () =>
      (await ann.send('invite:list', { serverId })).invites.find((one) => one.code === code)?.uses;
    expect(await uses()).to.equal(1);
    await pause(0);
    for (const person of [
      await enterAs(app.url, 'register', form),
      await enterAs(app.url, 'guest', guest),
    ])
      expect((await person.send('server:list', {})).servers).to.have.length(1);
    expect(await uses()).to.equal(3);
  });

  it('lets people sign in, without joining the server', async () => {
    const form = { username: 'paused.dora', password: 'a long enough one' };
    await enterAs(app.url, 'register', form);
    const servers = async () =>
      (await (await enterAs(app.url, 'login', { ...form, invite: code })).send('server:list', {}))
        .servers;
    await pause();
    expect(await servers()).to.deep.equal([]);
    await pause(0);
    expect(await servers()).to.have.length(1);
  });

  it('does not affect members, other servers or adding bots', async () => {
    const [cem, other] = [await app.person('Cem'), await openPlace(ann)];
    await pause();
    await expectJoined(ben);
    const form = { username: 'without.link', password: 'a long enough one' };
    await cem.send('server:join', { code: other.code });
    const { bot } = await ann.send('bot:create', { name: 'Herald' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    await enterAs(app.url, 'register', form);
    const { members } = await ann.send('member:list', { serverId, userIds: [bot.id, cem.id] });
    expect(members.map(({ userId }) => userId)).to.deep.equal([bot.id]);
  });

  it('waits for a join in progress', async () => {
    const patient = await startPatientApp({ PARLEY_LOBBY: 'off' });
    const [owner, cem] = [await patient.person('Owner'), await patient.person('Cem')];
    const place = await openPlace(owner);
    const { joining, pausing } = await withTableLock(
      patient.where,
      'members',
      'share',
      async (blocked) => {
        const joining = cem.send('server:join', { code: place.code });
        await blocked();
        const pausing = owner.send('invite:pause', { serverId: place.serverId, seconds: 60 });
        await until(() => isRightLockAwaited(patient.db, place.serverId));
        return { joining, pausing };
      },
    );
    await joining;
    expect((await pausing).pausedUntil).to.be.a('string');
    await patient.close();
  });
});

describe('a pause of the invites of Lobby', () => {
  it('keeps new accounts out of Lobby, and lets them sign up', async () => {
    const app = await startApp();
    const owner = await app.owner();
    const [lobby] = (await owner.send('server:list', {})).servers;
    const serversOf = async (person: Person) =>
      (await person.send('server:list', {})).servers.map(({ id }) => id);
    await owner.send('invite:pause', { serverId: lobby!.id, seconds: 60 });
    expect(await serversOf(await app.guest())).to.deep.equal([]);
    expect(await serversOf(await app.person())).to.deep.equal([]);
    await owner.send('invite:pause', { serverId: lobby!.id, seconds: 0 });
    expect(await serversOf(await app.guest())).to.deep.equal([lobby!.id]);
    expect(await serversOf(await app.person())).to.deep.equal([lobby!.id]);
    await app.close();
  });
});

describeTopologies('a pause of invites', (topology) => {
  it('lets no one join on either node after the command is answered', async () => {
    const ann = await topology().person('Ann');
    const { serverId, code } = await openPlace(ann);
    const people = [await topology().person('Cem'), await topology().person('Dora')];
    for (let round = 0; round < 5; round += 1) {
      let isAnswered = false;
      const comeAndGo = async (person: Person) => {
        let [isLate, after] = [false, 0];
        while (!isLate || after === 0) {
          isLate = isAnswered;
          const outcome = await person.send('server:join', { code }).then(
            () => 'joined',
            (error: unknown) => (error as { code?: string }).code,
          );
          if (isLate) after += 1;
          expect(outcome).to.be.oneOf(isLate ? ['conflict'] : ['joined', 'conflict']);
          if (outcome === 'joined') await person.send('server:leave', { serverId });
        }
      };
      const coming = people.map(comeAndGo);
      await ann.send('invite:pause', { serverId, seconds: 60 });
      isAnswered = true;
      await Promise.all(coming);
      await ann.send('invite:pause', { serverId, seconds: 0 });
    }
  });
});
