import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { startPatientApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { withTableLock } from '../support/table-lock.ts';

describe('commands in progress', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let channelId: string;

  before(async () => {
    app = await startPatientApp();
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    channelId = (await ann.send('server:create', { name: 'Busy' })).server.defaultChannelId;
    // Holds the clock, so that only the test waits for the lock.
    app.hold();
  });
  after(() => app.close());

  const whileHeld = <T>(work: (blocked: (many?: number) => Promise<void>) => Promise<T>) =>
    withTableLock(app.where, 'channels', 'access exclusive', work);

  const times = <T>(many: number, work: () => T): T[] => Array.from({ length: many }, work);
  /** Only a socket's first join waits in the database; the others wait behind it, so few connections are needed. */
  const join = (tab: Person) => tab.send('channel:join', { channelId });
  /** Needs no lock, only its turn: the commands of an account start in order. */
  const act = (tab: Person) => tab.send('presence:update', { active: true });

  /** Notes when the command is answered. Resolves after all earlier packets of the socket have arrived. */
  async function begin(tab: Person, ask: (tab: Person) => Promise<unknown>) {
    const asked = { isAnswered: false, done: Promise.resolve() };
    asked.done = ask(tab).then(() => void (asked.isAnswered = true));
    // An unknown event is answered without waiting in a queue.
    await (tab.socket as Socket).emitWithAck('nothing', {});
    return asked;
  }

  it('are at most three per socket; other sockets continue', async () => {
    const other = await ann.newTab();
    const asked = await whileHeld(async (blocked) => {
      const joins = [await begin(ann, join), await begin(ann, join)];
      await blocked();
      await act(ann);
      joins.push(await begin(ann, join));
      const fourth = await begin(ann, act);
      await act(other);
      expect(fourth.isAnswered).to.equal(false);
      return [...joins, fourth];
    });
    await Promise.all(asked.map(({ done }) => done));
    other.close();
  });

  it('are at most four per account; other accounts continue', async () => {
    const [second, third] = [await ann.newTab(), await ann.newTab()];
    const asked = await whileHeld(async (blocked) => {
      const joins = [await begin(ann, join), await begin(ann, join), await begin(second, join)];
      await blocked(2);
      await act(third);
      joins.push(await begin(second, join));
      const more = [await begin(third, act), await begin(ann, act)];
      // Long enough for them to be answered, if they could be.
      for (let i = 0; i < 10; i += 1) await act(ben);
      expect(more.map(({ isAnswered }) => isAnswered)).to.deep.equal([false, false]);
      return [...joins, ...more];
    });
    await Promise.all(asked.map(({ done }) => done));
    for (const tab of [second, third]) tab.close();
  });

  it('are at most 250 per account including queued ones; the next is refused by socket and HTTP', async () => {
    const second = await ann.newTab();
    const ask = ({ cookie }: Person) => fetch(`${app.url}/api/servers`, { headers: { cookie } });
    const asked = await whileHeld(async () => {
      const joins = [];
      for (const tab of [ann, ann, ann, second]) joins.push(await begin(tab, join));
      const others = times(122, () => [act(ann), act(second)]).flat();
      const last = [await begin(ann, act), await begin(second, act)];
      for (const tab of [ann, second]) {
        const failure = await tab.expectError('presence:update', { active: true });
        expect(failure).to.include({ code: 'busy', retryAfterMs: 1_000 });
        expect(failure.message).to.include('too much at the same time');
      }
      expect((await ask(ann)).status).to.equal(503);
      await act(ben);
      expect(last.map(({ isAnswered }) => isAnswered)).to.deep.equal([false, false]);
      return [...others, ...[...joins, ...last].map(({ done }) => done)];
    });
    expect(await Promise.all(asked)).to.have.length(250);
    await act(ann);
    expect((await ask(ann)).status).to.equal(200);
    second.close();
  });
});
