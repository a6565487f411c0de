import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { Refused } from '../../shared/events.ts';
import { limits, packetRate } from '../../shared/limits.ts';
import type { Result } from '../../shared/protocol.ts';
import { startStrictApp, type TestApp } from '../support/app.ts';
import { openSocket, type Person } from '../support/person.ts';
import { timeoutMs } from '../support/time.ts';

const { packets, maxRefused } = packetRate;

describe('a flood', () => {
  let app: TestApp;
  let ben: Person;
  let eve: Person;
  beforeEach(async () => {
    app = await startStrictApp();
    [ben, eve] = [await app.guest('Ben'), await app.guest('Eve')];
  });
  afterEach(() => app.close());

  const raw = ({ socket }: Person) => socket as Socket;
  const closed = (person: Person) =>
    new Promise<void>((resolve) => void raw(person).once('disconnect', () => resolve()));

  it('ends the connection with a reason, even if its packets ask for no answer', async () => {
    const over = closed(eve);
    for (let i = 0; i < packets.burst + maxRefused + 100; i += 1) raw(eve).emit('message:nope', {});
    await over;
    const [closing] = eve.received('closing');
    expect(closing).to.include({ code: 'flood', retry: true });
    expect(closing!.retryAfterMs).to.be.above(10_000);
    await ben.send('server:list', {});
  });

  it('from a guest blocks all guests at its address for a minute, and no one else', async () => {
    const over = closed(eve);
    for (let i = 0; i < packets.burst + maxRefused + 100; i += 1) raw(eve).emit('message:nope', {});
    await over;
    await app.person('Ann');
    const refused: unknown = await app.guest('Eva').catch((error: unknown) => error);
    expect(refused).to.have.property('message').that.includes('disconnected too often');
    await ben.send('server:list', {});
    app.pass(61_000);
    await app.guest('Eva');
  });

  it('with unknown command names is refused, and ends the connection', async () => {
    const over = closed(eve);
    const codes: (string | undefined)[] = [];
    for (let i = 0; i < packets.burst + maxRefused + 100; i += 1)
      raw(eve).emit('no:such', {}, (result: Result<unknown>) =>
        codes.push(result.ok ? undefined : Refused.parse(result.error).code),
      );
    await over;
    for (const code of codes) expect(code).to.be.oneOf(['invalid', 'rate_limited']);
    expect(codes.length).to.be.at.most(packets.burst + maxRefused + 50);
  });

  it('with only a few packets too many gets ordinary errors with a `requestId`', async () => {
    const answers = await Promise.all(
      Array.from(
        { length: packets.burst + maxRefused / 2 },
        () => raw(eve).timeout(timeoutMs).emitWithAck('no:such', {}) as Promise<Result<unknown>>,
      ),
    );
    const codes = answers.map((answer) => answer.ok || Refused.parse(answer.error).code);
    expect(codes).to.include('rate_limited');
    for (const code of codes) expect(code).to.be.oneOf(['invalid', 'rate_limited']);
  });

  it('with too many bytes ends the connection', async () => {
    const over = closed(eve);
    const body = 'x'.repeat(limits.packetBytes - 1_000);
    for (let i = 0; i < packetRate.bytes.burst / body.length + maxRefused + 50; i += 1)
      raw(eve).emit('no:such', { body });
    await over;
    expect(eve.received('closing')).to.have.length(1);
  });

  it('with binary packets but no file data closes the socket', async () => {
    const over = closed(eve);
    const bytes = new Uint8Array(65_536);
    for (let i = 0; i < packetRate.bytes.burst / bytes.length + maxRefused + 10; i += 1)
      raw(eve).emit('no:such', bytes);
    await over;
    expect(eve.received('closing')[0]).to.include({ code: 'flood' });
    await ben.send('server:list', {});
  });

  it('before sign-in ends the connection', async () => {
    const socket = openSocket(app.url, undefined);
    const over = new Promise<string>((resolve) =>
      socket.io.once('close', (reason) => resolve(reason)),
    );
    socket.io.once('open', () => {
      // Unknown namespaces: each is answered, and the connection stays open.
      for (let i = 0; i < packets.burst + maxRefused + 100; i += 1)
        socket.io.engine.write('0/nowhere,');
    });
    expect(await over).to.be.a('string');
  });

  it('is not detected when an account uses all its limits on several devices', async () => {
    const others = await Promise.all([ben.newTab(), ben.newTab(), ben.newTab()]);
    for (const device of [ben, ...others])
      await Promise.all(
        Array.from({ length: 100 }, () =>
          raw(device).timeout(timeoutMs).emitWithAck('server:list', {}),
        ),
      );
    for (const device of [ben, ...others]) expect(device.received('closing')).to.deep.equal([]);
    expect(raw(ben).connected).to.equal(true);
  });
});
