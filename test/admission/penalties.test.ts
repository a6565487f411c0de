import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { packetRate } from '../../shared/limits.ts';
import type { Refusal } from '../../shared/protocol.ts';
import { startStrictApp, type TestApp } from '../support/app.ts';
import { openSocket, type Person } from '../support/person.ts';
import { countStatements } from '../support/statements.ts';
import { until } from '../support/time.ts';
import { joined } from '../support/topologies.ts';

const refusalOf = ({ url, cookie }: Pick<Person, 'url' | 'cookie'>) =>
  new Promise<Refusal | undefined>((resolve) => {
    const socket = openSocket(url, cookie);
    const end = (refusal?: Refusal) => {
      socket.disconnect();
      resolve(refusal);
    };
    socket.once('ready', () => end());
    socket.once('connect_error', (error: Error & { data?: Refusal }) => end(error.data));
  });

describe('reconnecting after a forced close', () => {
  let app: TestApp;
  let ben: Person;
  let eve: Person;
  before(async () => {
    app = await startStrictApp();
  });
  beforeEach(async () => {
    [ben, eve] = [await app.person('Ben'), await app.person('Eve')];
  });
  after(() => app.close());

  it('is refused for a minute after a flood, on every device, without reading sessions or accounts', async () => {
    const over = new Promise<void>(
      (resolve) => void eve.socket.once('disconnect', () => resolve()),
    );
    for (let i = 0; i < packetRate.packets.burst + packetRate.maxRefused + 100; i += 1)
      (eve.socket as Socket).emit('message:nope', {});
    await over;
    const [closing] = eve.received('closing');
    expect(closing).to.deep.include({ code: 'flood', retry: true, retryAfterMs: 60_000 });
    await until(() => app.node.io.of('/').sockets.size === 1);
    const refusals: (Refusal | undefined)[] = [];
    app.hold();
    const asked = await countStatements(async () => {
      for (let i = 0; i < 5; i += 1) refusals.push(await refusalOf(eve));
    });
    for (const refusal of refusals) {
      expect(refusal).to.include({ code: 'rate_limited' });
      expect(refusal?.retryAfterMs).to.be.within(50_000, 60_000);
    }
    expect(asked.filter((text) => /sessions|users/.test(text))).to.deep.equal([]);
    expect(await refusalOf(ben)).to.equal(undefined);
    app.pass(60_000);
    expect(await refusalOf(eve)).to.equal(undefined);
  });

  it('is immediate once, then takes twice as long each time; old closes are forgotten', () => {
    const { penalties } = app.node;
    const close = () => penalties.add([eve.id]);
    expect(close()).to.equal(0);
    for (const maxMs of [2_000, 4_000, 8_000]) expect(close()).to.be.within(maxMs / 2, maxMs);
    // One millisecond more, because the held clock rounds its sums.
    app.pass(120_001);
    expect(close()).to.be.within(2_000, 4_000);
    expect(Array.from({ length: 20 }, close).at(-1)).to.be.within(30_000, 60_000);
    app.pass(3_600_000);
    expect(close()).to.equal(0);
    for (let i = 0; i < 30_000; i += 1) penalties.add([`somebody ${i}`]);
    expect(penalties.size()).to.equal(10_000);
  });

  it('takes different times for clients that were closed at the same moment', () => {
    const all = Array.from({ length: 48 }, (_, i) => `guest ${i}`);
    for (const one of all) app.node.penalties.add([one]);
    const ms = all.map((one) => app.node.penalties.add([one])).sort((a, b) => a - b);
    const inHalves = [
      ms.filter((one) => one < 1_500).length,
      ms.filter((one) => one >= 1_500).length,
    ];
    expect(Math.min(...inHalves), ms.join()).to.be.at.least(5);
  });
});

it('is refused on the other node, too', async () => {
  const topology = await joined();
  const [ben, eve] = [await topology.guest('Ben'), await topology.guest('Eve')];
  const benElsewhere = await topology.elsewhere(ben);
  const eveElsewhere = await topology.elsewhere(eve);
  const [here] = topology.nodes;
  for (let i = 0; i < 2; i += 1) here.node.penalties.add([eve.id]);
  for (const device of [eve, eveElsewhere])
    await until(async () => (await refusalOf(device))?.code === 'rate_limited');
  for (const device of [ben, benElsewhere]) expect(await refusalOf(device)).to.equal(undefined);
  topology.pass(2_000);
  for (const device of [eve, eveElsewhere]) expect(await refusalOf(device)).to.equal(undefined);
  await topology.close();
});
