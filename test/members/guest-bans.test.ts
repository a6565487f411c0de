import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { sweepOrigins } from '../../server/accounts/origins.ts';
import { sweepBans } from '../../server/members/bans.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { newForm, replyOf } from '../support/auth.ts';
import { connectAs, cookieOf, deviceCookieOf, post, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { describeTopologies } from '../support/topologies.ts';

const refusals = {
  device: 'You can’t join this server from this device because of a ban.',
  network: 'Guests can’t join from your network because of a ban. Create an account to join.',
};

interface Visit {
  door?: 'guest' | 'register';
  /** The cookie of a device; absent for a new one. */
  device?: string;
  address?: string;
  invite?: string;
}

function visit(url: string, { door = 'guest', device, address, invite }: Visit): Promise<Response> {
  const form = door === 'guest' ? { displayName: 'Gus' } : newForm();
  return post(
    url,
    `/api/auth/${door}`,
    { ...form, ...(invite !== undefined && { invite }) },
    {
      ...(device !== undefined && { cookie: device }),
      ...(address !== undefined && { 'x-forwarded-for': address }),
    },
  );
}

async function come(url: string, how: Visit): Promise<{ person: Person; device: string }> {
  const response = await visit(url, how);
  expect(response.status, await response.clone().text()).to.equal(201);
  return { person: await connectAs(url, cookieOf(response)), device: deviceCookieOf(response) };
}

const serversOf = async (person: Person) =>
  (await person.send('server:list', {})).servers.map(({ id }) => id);

describe('the ban of a guest', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;
  let invite: string;
  let networks = 0;
  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off', TRUST_PROXY: '1' });
    ann = await app.person('Ann');
  });
  beforeEach(async () => {
    ({ serverId, code: invite } = await openPlace(ann));
  });
  after(() => app.close());

  const newAddress = () => `8.8.${Math.trunc((networks += 1) / 200)}.${(networks % 200) + 1}`;
  const enter = (how: Visit) => come(app.url, { invite, ...how });
  const ban = (userId: string, more = {}) => ann.send('ban:create', { serverId, userId, ...more });
  const banned = async (more = {}) => {
    const address = newAddress();
    const { person, device } = await enter({ address });
    await ban(person.id, more);
    return { person, device, address };
  };
  const usesOf = async () =>
    (await ann.send('invite:list', { serverId })).invites.find(({ code }) => code === invite)?.uses;
  const countUsers = async () =>
    (await query<{ count: number }>(app.db, 'select count(*)::int from users', []))[0]?.count;

  async function expectRefused(how: Visit, message: string) {
    const before = [await countUsers(), await usesOf()];
    const response = await visit(app.url, { invite, ...how });
    expect(response.status).to.equal(403);
    expect((await replyOf(response)).error).to.include({ code: 'forbidden', message });
    expect([await countUsers(), await usesOf()]).to.deep.equal(before);
  }

  it('keeps out guests from the device or network, and says so; others come in', async () => {
    const { device, address } = await banned();
    await expectRefused({ device, address: newAddress() }, refusals.device);
    await expectRefused({ address }, refusals.network);
    await enter({ address: newAddress() });
    await enter({ door: 'register', address });
  });

  it('keeps out a new account from the device', async () => {
    const { device } = await banned();
    await expectRefused({ door: 'register', device, address: newAddress() }, refusals.device);
    const { person } = await come(app.url, { door: 'register', device });
    const refused = await person.expectError('server:join', { code: invite });
    expect(refused).to.include({ code: 'forbidden', message: refusals.device });
    const other = await openPlace(await app.person());
    await person.send('server:join', { code: other.code });
  });

  it('keeps out guests who came to another server before, and does not remove members', async () => {
    const address = newAddress();
    const gus = await enter({ address });
    const elsewhere = await come(app.url, { address, device: gus.device });
    const neighbour = await come(app.url, { address });
    const member = await enter({ address, device: gus.device });
    const sees = async ({ person }: { person: Person }) =>
      (await person.send('invite:get', { code: invite })).invite.banned;
    expect([await sees(elsewhere), await sees(neighbour)]).to.deep.equal([undefined, undefined]);
    await ban(gus.person.id);
    const refusalOf = ({ person }: { person: Person }) =>
      person.expectError('server:join', { code: invite });
    expect(await refusalOf(elsewhere)).to.include({ message: refusals.device });
    expect(await refusalOf(neighbour)).to.include({ message: refusals.network });
    expect([await sees(elsewhere), await sees(neighbour)]).to.deep.equal(['device', 'network']);
    const claim = ({ person }: { person: Person }) =>
      post(app.url, '/api/auth/register', newForm({ invite }), { cookie: person.cookie });
    expect((await claim(elsewhere)).status).to.equal(403);
    expect((await elsewhere.person.newTab()).user.kind).to.equal('guest');
    expect((await claim(neighbour)).status).to.equal(201);
    expect((await refusalOf(gus)).code).to.equal('not_found');
    expect(await serversOf(member.person)).to.deep.equal([serverId]);
    await member.person.send('server:join', { code: invite });
  });

  it('admits the device and network after it ends, and the next ban keeps them out again', async () => {
    const { person, device, address } = await banned({ seconds: 3_600 });
    const end = () =>
      query(app.db, `update bans set until = now() - interval '1 s' where server_id = $1`, [
        serverId,
      ]);
    await end();
    await enter({ device, address });
    await person.send('server:join', { code: invite });
    await ban(person.id);
    await expectRefused({ device, address }, refusals.device);
    await end();
    await enter({ device, address });
    await person.send('server:join', { code: invite });
    await query(app.db, 'delete from origins where user_id = $1', [person.id]);
    await ban(person.id);
    await enter({ device, address });
  });

  it('forgets the network after thirty days, and the device with the ban', async () => {
    const { person, device, address } = await banned();
    const rows = () =>
      query<{ device: string | null; network: string | null }>(
        app.db,
        'select device, network from bans where server_id = $1',
        [serverId],
      );
    const [stored] = await rows();
    for (const [given, kept] of [
      [device.split('=')[1], stored?.device],
      [address, stored?.network],
    ])
      expect(kept)
        .to.match(/^[\w-]{22}$/)
        .and.not.equal(given);
    const age = (days: number) =>
      query(
        app.db,
        `update bans set created_at = now() - make_interval(days => $2) where server_id = $1`,
        [serverId, days],
      );
    await age(29);
    await sweepBans(app);
    await expectRefused({ address }, refusals.network);
    await age(31);
    await sweepBans(app);
    await enter({ address });
    await expectRefused({ device, address }, refusals.device);
    await ann.send('ban:delete', { serverId, userId: person.id });
    expect(await rows()).to.deep.equal([]);
  });

  it('keeps out nobody by a private address, or after the ban of an account older than 30 days', async () => {
    for (const address of ['127.0.0.1', '10.1.2.3', '192.168.7.7', '100.64.1.1', 'fd00::1']) {
      const { person } = await enter({ address });
      await ban(person.id);
      await enter({ address });
    }
    const address = newAddress();
    const { person, device } = await enter({ address });
    const age = (days: number) =>
      query(
        app.db,
        'update origins set created_at = now() - make_interval(days => $2) where user_id = $1',
        [person.id, days],
      );
    await age(29);
    await sweepOrigins(app);
    await ban(person.id);
    await expectRefused({ device, address }, refusals.device);
    await ann.send('ban:delete', { serverId, userId: person.id });
    await person.send('server:join', { code: invite });
    await age(31);
    await sweepOrigins(app);
    await ban(person.id);
    await enter({ device, address });
  });

  it('treats a /64 of IPv6 as one network', async () => {
    const { person } = await enter({ address: '2600:1:2:3::4' });
    await ban(person.id);
    await expectRefused({ address: '2600:1:2:3:ffff::5' }, refusals.network);
    await enter({ address: '2600:1:2:4::4' });
  });

  it('applies to each of many banned together, and for a registered account keeps out only the device', async () => {
    const guests = [await enter({ address: newAddress() }), await enter({ address: newAddress() })];
    const address = newAddress();
    const account = await enter({ door: 'register', address });
    const userIds = [...guests, account].map(({ person }) => person.id);
    expect((await ann.send('ban:createMany', { serverId, userIds })).userIds).to.have.length(3);
    for (const { device } of [...guests, account]) await expectRefused({ device }, refusals.device);
    await enter({ address });
  });
});

describe('the ban of a guest from Lobby', () => {
  it('keeps the device out of Lobby, but not out of Parley', async () => {
    const app = await startApp({ PARLEY_LOBBY: 'all' });
    const owner = await app.owner();
    const [lobby = ''] = await serversOf(owner);
    const gus = await come(app.url, {});
    expect(await serversOf(gus.person)).to.deep.equal([lobby]);
    await owner.send('ban:create', { serverId: lobby, userId: gus.person.id });
    const back = await come(app.url, { device: gus.device });
    expect(await serversOf(back.person)).to.deep.equal([]);
    expect(await serversOf((await come(app.url, {})).person)).to.deep.equal([lobby]);
    await app.close();
  });
});

describeTopologies('the ban of a guest', (topology) => {
  it('lets nobody in from the device on either node after it is acknowledged', async () => {
    const ann = await topology().person('Ann');
    for (let round = 0; round < 3; round += 1) {
      const { serverId, code: invite } = await openPlace(ann);
      const { person, device } = await come(topology().nodes[0].url, { invite });
      let isAnswered = false;
      const comeAgain = async ({ url }: TestApp) => {
        let isLate = false;
        while (!isLate) {
          isLate = isAnswered;
          const { status } = await visit(url, { invite, device });
          expect(status).to.be.oneOf(isLate ? [403] : [201, 403]);
        }
      };
      const coming = topology().nodes.map(comeAgain);
      await ann.send('ban:create', { serverId, userId: person.id });
      isAnswered = true;
      await Promise.all(coming);
    }
  });
});
