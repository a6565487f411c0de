import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { InstanceSettings } from '../../shared/administration.ts';
import type { Output, Refusal } from '../../shared/protocol.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { newForm } from '../support/auth.ts';
import { connectAs, openSocket, post, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';

const defaults: InstanceSettings = {
  ...{ name: '', registration: 'open', guests: 'open', serverCreation: 'everyone' },
};

type Running = Output<'instance:get'>['nodes'][number];

const { version: packageVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Returns the refusal that a client without a session gets, for the sign-in page. */
async function greetingAt(app: TestApp): Promise<Refusal> {
  // The page shows settings that are up to a second old.
  app.pass(1_000);
  const socket = openSocket(app.url, undefined);
  const error = await new Promise<Error & { data?: Refusal }>((resolve) =>
    socket.once('connect_error', resolve),
  );
  socket.disconnect();
  return error.data!;
}

describe('the settings of an instance', () => {
  let app: TestApp;
  let owner: Person;
  let code: string;
  before(async () => {
    app = await startApp();
    owner = await app.owner();
    const { server } = await owner.send('server:create', { name: 'Place' });
    ({ code } = (await owner.send('invite:create', { serverId: server.id })).invite);
  });
  beforeEach(() => owner.send('instance:update', defaults));
  after(() => app.close());

  const set = (settings: Partial<InstanceSettings>) => owner.send('instance:update', settings);

  it('decide who can register, and who can join as a guest, with and without an invite', async () => {
    const register = (more: object) => post(app.url, '/api/auth/register', newForm(more));
    const visit = (more: object) => post(app.url, '/api/auth/guest', { displayName: 'G', ...more });
    for (const [setting, enter, other] of [
      ['registration', register, visit],
      ['guests', visit, register],
    ] as const)
      for (const [value, alone, invited] of [
        ['open', true, true],
        ['invite', false, true],
        ['closed', false, false],
      ] as const) {
        await set({ ...defaults, [setting]: value });
        expect(await greetingAt(app)).to.include({ [setting]: value });
        expect((await enter({})).ok, `${setting} ${value}`).to.equal(alone);
        expect((await enter({ invite: code })).ok, `${setting} ${value}`).to.equal(invited);
        expect((await other({})).ok).to.equal(true);
      }
  });

  it('can limit server creation to administrators', async () => {
    const ann = await app.person();
    const colleague = await app.person();
    const userId = colleague.id;
    await owner.send('account:update', { userId, administrator: true });
    const creates = async (person: Person) => {
      const again = await connectAs(app.url, person.cookie);
      const { ok } = await again.ask('server:create', { name: 'Mine' });
      expect(again.ready.canCreateServers).to.equal(ok);
      again.close();
      return ok;
    };
    expect(await creates(ann)).to.equal(true);
    await set({ serverCreation: 'administrators' });
    expect(await creates(ann)).to.equal(false);
    expect(await creates(colleague)).to.equal(true);
    expect(await creates(owner)).to.equal(true);
    expect(await creates(await app.guest())).to.equal(false);
    // A repeated command returns the server that it created before the change.
    const { server } = await colleague.send('server:create', { name: 'Early' });
    await owner.send('account:update', { userId, administrator: false });
    const again = await colleague.send('server:create', { name: 'Early', id: server.id });
    expect(again.server.id).to.equal(server.id);
    expect(await creates(colleague)).to.equal(false);
    await set({ serverCreation: 'everyone' });
    expect(await creates(ann)).to.equal(true);
    expect(await creates(await app.guest())).to.equal(false);
  });

  it('include a name, which the sign-in page shows', async () => {
    expect(await greetingAt(app)).not.to.have.property('name');
    await set({ name: '  Garden club ' });
    expect((await greetingAt(app)).name).to.equal('Garden club');
    const refused = await owner.expectError('instance:update', { name: 'x'.repeat(200) });
    expect(refused).to.include({ code: 'invalid', field: 'name' });
  });

  it('apply immediately on another node', async () => {
    const other = await startApp({}, app.where);
    await set({ registration: 'closed' });
    expect((await post(other.url, '/api/auth/register', newForm())).status).to.equal(403);
    expect(await greetingAt(other)).to.include({ registration: 'closed' });
    await other.close();
  });

  it('are overridden by environment variables and then can’t be changed', async () => {
    const fixed = await startApp({ PARLEY_GUESTS: 'closed', PARLEY_NAME: 'Works' }, app.where);
    const there = await connectAs(fixed.url, owner.cookie);
    const { settings, locked } = await there.send('instance:get', {});
    expect(settings).to.deep.equal({ ...defaults, guests: 'closed', name: 'Works' });
    expect(locked).to.deep.equal({ guests: 'PARLEY_GUESTS', name: 'PARLEY_NAME' });
    const refused = await there.expectError('instance:update', {
      ...{ registration: 'invite', guests: 'open' },
    });
    expect(refused.code).to.equal('conflict');
    expect(refused.message).to.include('PARLEY_GUESTS');
    // Nothing of the refused change was stored.
    expect((await owner.send('instance:get', {})).settings).to.deep.equal(defaults);
    await there.send('instance:update', { registration: 'invite', guests: 'closed' });
    expect((await owner.send('instance:get', {})).settings.registration).to.equal('invite');
    await fixed.close();
  });

  it('fall back to the default for a stored value that this version doesn’t know', async () => {
    await set({ registration: 'closed' });
    await query(app.db, `update settings set value = 'by riddle' where key = $1`, [
      'instance.registration',
    ]);
    expect((await owner.send('instance:get', {})).settings).to.deep.equal(defaults);
  });

  it('are returned with the running nodes, starting with the one that answers', async () => {
    const nodes = async () => (await owner.send('instance:get', {})).nodes.map(({ id }) => id);
    const running = async (...others: TestApp[]) => {
      const wanted = [app, ...others].map(({ node }) => node.id);
      await until(async () => isDeepStrictEqual(await nodes(), wanted));
    };
    await running();
    const [second, third] = [await startApp({}, app.where), await startApp({}, app.where)];
    await running(second, third);
    await second.close();
    expect(await nodes()).to.deep.equal([app.node.id, third.node.id]);
    // Simulates a node that stops responding.
    third.hold();
    await query(app.db, `update nodes set seen_at = now() - interval '1 minute' where id = $1`, [
      third.node.id,
    ]);
    expect(await nodes()).to.deep.equal([app.node.id]);
    app.pass(10_000);
    const rows = () => query(app.db, 'select 1 from nodes where id = $1', [third.node.id]);
    await until(async () => (await rows()).length === 0);
    third.pass(10_000);
    await running(third);
    const [{ version, startedAt }] = (await owner.send('instance:get', {})).nodes as [Running];
    expect(version).to.equal(packageVersion);
    expect(Date.parse(startedAt)).to.be.at.most(Date.now());
    await third.close();
  });

  it('are recorded in the audit log, each change once', async () => {
    const known = (await owner.send('audit:list', {})).entries[0]!.id;
    await set({ guests: 'invite', name: 'Club' });
    await set({ guests: 'invite', name: 'Club' });
    const { entries } = await owner.send('audit:list', {});
    const written = entries.filter(({ id }) => id > known);
    expect(written.map(({ action, detail }) => [action, detail])).to.have.deep.members([
      ['instance:renamed', 'Club'],
      ['instance:guestsSet', 'invite'],
    ]);
    expect(written.every(({ actorId }) => actorId === owner.id)).to.equal(true);
  });
});
