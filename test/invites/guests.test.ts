import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { enterAs, post, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { isRightLockAwaited, withTableLock } from '../support/table-lock.ts';
import { until } from '../support/time.ts';
import { describeTopologies } from '../support/topologies.ts';

const needsAccount = { code: 'forbidden', message: 'You need an account to join with this link.' };

describe('the door to guests', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let open: string;
  let code: string;
  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    ({ serverId, code: open } = await openPlace(ann, ben));
    const { invite } = await ann.send('invite:create', { serverId, guests: false });
    code = invite.code;
  });
  after(() => app.close());

  const close = (closedToGuests = true) => ann.send('server:update', { serverId, closedToGuests });
  const expectRefused = async (guest: Person, code: string) =>
    expect(await guest.expectError('server:join', { code })).to.include(needsAccount);
  const usesOf = async (code: string) =>
    (await ann.send('invite:list', { serverId })).invites.find((one) => one.code === code)?.uses;
  const admits = async (code: string, person = ben) =>
    (await person.send('invite:get', { code })).invite.guests;

  it('is closed by an invite, which admits people with an account', async () => {
    const [guest, cem] = [await app.guest(), await app.person('Cem')];
    expect([await admits(code, guest), await admits(open, guest)]).to.deep.equal([false, true]);
    await expectRefused(guest, code);
    expect(await usesOf(code)).to.equal(0);
    await cem.send('server:join', { code });
    await guest.send('server:join', { code: open });
    expect([await usesOf(code), await usesOf(open)]).to.deep.equal([1, 2]);
    // Already a member: the link changes nothing.
    expect((await guest.send('server:join', { code })).server.id).to.equal(serverId);
    expect(await usesOf(code)).to.equal(1);
  });

  it('is closed by the server for every invite, until it is opened again, and members stay', async () => {
    const [member, guest] = [await app.guest(), await app.guest()];
    await member.send('server:join', { code: open });
    const { server } = await close();
    expect(server.closedToGuests).to.equal(true);
    expect(await admits(open)).to.equal(false);
    await expectRefused(guest, open);
    const [known] = (await member.send('server:list', {})).servers;
    expect(known).to.include({ id: serverId, closedToGuests: true });
    await close();
    expect((await close(false)).server).not.to.have.property('closedToGuests');
    expect([await admits(open), await admits(code)]).to.deep.equal([true, false]);
    await guest.send('server:join', { code: open });
    const { entries } = await ann.send('audit:list', { serverId });
    const doors = entries.map(({ action }) => action).filter((action) => action.endsWith('Guests'));
    expect(doors).to.deep.equal(['server:openedToGuests', 'server:closedToGuests']);
  });

  it('refuses new guests without creating an account, and lets them register', async () => {
    const guest = { displayName: 'Guest at the door', invite: code };
    const reply = await post(app.url, '/api/auth/guest', guest);
    expect(reply.status).to.equal(403);
    expect(await reply.json())
      .to.have.property('error')
      .that.includes(needsAccount);
    const made = await query(app.db, 'select from users where display_name = $1', [
      guest.displayName,
    ]);
    expect(made).to.deep.equal([]);
    const form = { username: 'at.the.door', password: 'a long enough one', invite: code };
    const person = await enterAs(app.url, 'register', form);
    const other = await enterAs(app.url, 'guest', { ...guest, invite: open });
    for (const one of [person, other])
      expect((await one.send('server:list', {})).servers).to.have.length(1);
  });

  it('lets a guest in who claims the account with the invite', async () => {
    const guest = await app.guest();
    await expectRefused(guest, code);
    const form = { username: 'claimed.here', password: 'a long enough one', invite: code };
    const claimed = await enterAs(app.url, 'register', form, guest.cookie);
    expect(claimed.id).to.equal(guest.id);
    expect((await claimed.send('server:list', {})).servers).to.have.length(1);
  });

  it('is no reason to return the usual invite of today', async () => {
    const input = { serverId, expiresInSeconds: 604_800 };
    const create = async (more = {}) =>
      (await ann.send('invite:create', { ...input, ...more })).invite.code;
    const closed = await create({ guests: false });
    const usual = await create();
    expect(usual).not.to.equal(closed);
    expect(await create()).to.equal(usual);
    expect(await create({ guests: false })).not.to.equal(closed);
  });

  it('waits for a guest in the middle of joining', async () => {
    const patient = await startPatientApp({ PARLEY_LOBBY: 'off' });
    const [owner, guest] = [await patient.person('Owner'), await patient.guest()];
    const place = await openPlace(owner);
    const { joining, closing } = await withTableLock(
      patient.where,
      'members',
      'share',
      async (blocked) => {
        const joining = guest.send('server:join', { code: place.code });
        await blocked();
        const closing = owner.send('server:update', {
          serverId: place.serverId,
          closedToGuests: true,
        });
        await until(() => isRightLockAwaited(patient.db, place.serverId));
        return { joining, closing };
      },
    );
    await joining;
    expect((await closing).server.closedToGuests).to.equal(true);
    await patient.close();
  });
});

describe('Lobby closed to guests', () => {
  it('is not joined by new guests, and by new accounts', async () => {
    const app = await startApp({ PARLEY_LOBBY: 'all' });
    const owner = await app.owner();
    const [lobby] = (await owner.send('server:list', {})).servers;
    const other = await openPlace(await app.person());
    const serversOf = async (person: Person) =>
      (await person.send('server:list', {})).servers.map(({ id }) => id);
    const invited = () => enterAs(app.url, 'guest', { displayName: 'Invited', invite: other.code });
    await owner.send('server:update', { serverId: lobby!.id, closedToGuests: true });
    expect(await serversOf(await app.guest())).to.deep.equal([]);
    expect(await serversOf(await invited())).to.deep.equal([other.serverId]);
    expect(await serversOf(await app.person())).to.deep.equal([lobby!.id]);
    await owner.send('server:update', { serverId: lobby!.id, closedToGuests: false });
    expect(await serversOf(await app.guest())).to.deep.equal([lobby!.id]);
    expect(await serversOf(await invited())).to.have.members([lobby!.id, other.serverId]);
    await app.close();
  });
});

describeTopologies('a door closed to guests', (topology) => {
  it('lets no guest in on either node after the command is answered', async () => {
    const ann = await topology().person('Ann');
    const { serverId, code } = await openPlace(ann);
    const guests = [await topology().guest(), await topology().guest()];
    for (let round = 0; round < 5; round += 1) {
      let isAnswered = false;
      const comeAndGo = async (guest: Person) => {
        let [isLate, after] = [false, 0];
        while (!isLate || after === 0) {
          isLate = isAnswered;
          const outcome = await guest.send('server:join', { code }).then(
            () => 'joined',
            (error: unknown) => (error as { code?: string }).code,
          );
          if (isLate) after += 1;
          expect(outcome).to.be.oneOf(isLate ? ['forbidden'] : ['joined', 'forbidden']);
          if (outcome === 'joined') await guest.send('server:leave', { serverId });
        }
      };
      const coming = guests.map(comeAndGo);
      await ann.send('server:update', { serverId, closedToGuests: true });
      isAnswered = true;
      await Promise.all(coming);
      await ann.send('server:update', { serverId, closedToGuests: false });
    }
  });
});
