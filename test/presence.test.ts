import { expect } from 'chai';
import { startApp, type TestApp } from './support/app.ts';
import { enterAs } from './support/person.ts';

describe('presence', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  async function watching() {
    const ann = await app.person('Ann');
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    const entry = await ann.send('server:open', { serverId });
    return { ann, serverId, entry };
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('is part of opening a server, and follows who comes', async () => {
    const early = await app.guest('Early');
    const { ann, entry } = await watching();
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    expect(entry.presence).to.include({ [early.id]: 'online', [ann.id]: 'online' });
    const late = await app.guest('Late');
    await ann.hears('presence', ({ users }) => users[late.id] === 'online');
  });

  it('ends at once with a sign-out', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    const before = Date.now();
    await ben.send('session:logout', {});
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
    // The batch of a second, and not the patience of five that a lost connection has.
    expect(Date.now() - before).to.be.below(4_000);
  });

  it('stays while another tab is open, and outlives a reload', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    const tab = await ben.again();
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    tab.close();
    await pause(1_500);
    ben.close();
    const reloaded = await ben.again();
    await pause(6_500);
    const wentOff = () => ann.heard('presence').some(({ users }) => users[ben.id] === 'offline');
    expect(wentOff()).to.equal(false);
    reloaded.close();
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
  });

  it('is not told to those who share no server', async () => {
    const { ann, serverId } = await watching();
    const { server } = await ann.send('server:create', { name: 'Alone' });
    await ann.send('server:open', { serverId: server.id });
    await ann.send('server:leave', { serverId });
    const stranger = await app.guest('Stranger');
    await pause(2_500);
    expect(ann.heard('presence').some(({ users }) => stranger.id in users)).to.equal(false);
  });

  it('survives becoming registered', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    const body = { username: 'ben.of.presence', password: 'a long enough one' };
    const claimed = await enterAs(app.url, 'register', body, ben.cookie);
    expect(claimed.id).to.equal(ben.id);
    await pause(6_500);
    expect(ann.heard('presence').some(({ users }) => users[ben.id] === 'offline')).to.equal(false);
  });
});
