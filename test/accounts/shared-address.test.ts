import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { rates } from '../../shared/limits.ts';
import type { Result } from '../../shared/protocol.ts';
import { startStrictApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { timeoutMs } from '../support/time.ts';

describe('a shared address', () => {
  let app: TestApp;
  let ben: Person;
  beforeEach(async () => {
    app = await startStrictApp();
    ben = await app.guest('Ben');
  });
  afterEach(() => app.close());

  const hammer = async ({ socket }: Person, count: number): Promise<(string | undefined)[]> => {
    const results = await Promise.all(
      Array.from(
        { length: count },
        async () =>
          (await (socket as Socket)
            .timeout(timeoutMs)
            .emitWithAck('server:list', {})) as Result<unknown>,
      ),
    );
    return results.map((result) => (result.ok ? undefined : result.error.code));
  };

  it('answers the others while three send far too much', async () => {
    const eves = await Promise.all([app.guest(), app.guest(), app.guest()]);
    const each = Math.ceil(rates.commandPerAddress.points / 3) + 50;
    const outcomes = (await Promise.all(eves.map((eve) => hammer(eve, each)))).flat();
    expect(outcomes.filter((code) => code === undefined)).to.have.length(3 * rates.read.points);
    for (let i = 0; i < 10; i += 1) await ben.send('server:list', {});
  });

  it('serves each account within its own share while many send as much as they can', async () => {
    const eves = await Promise.all(Array.from({ length: 12 }, () => app.guest()));
    const all = (await Promise.all(eves.map((eve) => hammer(eve, rates.read.points)))).flat();
    const served = all.filter((code) => code === undefined).length;
    expect(served).to.be.at.most(
      rates.commandPerAddress.points + eves.length * rates.ownAtAddress.points,
    );
    for (let i = 0; i < 30; i += 1) await ben.send('server:list', {});
  });
});
