import { expect } from 'chai';
import type { Failure } from '../../shared/failure.ts';
import { startApp } from '../support/app.ts';
import { openSocket } from '../support/person.ts';

describe('a node that is stopped', () => {
  it('reports it, refuses new sockets, answers pending commands, and asks everyone to come back', async () => {
    const app = await startApp({ PARLEY_DRAIN_SECONDS: '1' });
    const people = await Promise.all(Array.from({ length: 20 }, () => app.person()));
    const [ann] = people;
    const { server } = await ann!.send('server:create', { name: 'Leaving' });
    const turns = new Map<number, number>();
    let turn = 0;
    for (const { socket } of people)
      socket.on('disconnect', () => {
        turns.set(turn, (turns.get(turn) ?? 0) + 1);
        setImmediate(() => (turn += 1));
      });

    const closing = app.close();
    const ready = await fetch(`${app.url}/readyz`);
    expect(ready.status).to.equal(503);
    expect(await ready.text()).to.include('shutting down');
    const late = openSocket(app.url, ann!.cookie);
    const refusal = await new Promise<Failure>((resolve) =>
      late.once('connect_error', (error) => resolve((error as Error & { data: Failure }).data)),
    );
    expect(refusal).to.deep.include({ code: 'busy', retryable: true });

    const answers = people.map(async (person, i) => {
      const body = String(i);
      const input = { timelineId: server.defaultChannelId, body };
      return i === 0
        ? person.send('message:send', input)
        : person.expectError('message:send', input);
    });
    for (const answer of await Promise.allSettled(answers))
      // A client that was closed before its answer sends the command again to another node.
      if (answer.status === 'rejected')
        expect(String(answer.reason)).to.match(/disconnect|timed out/);
    await closing;

    for (const person of people) {
      const { code, retry, retryAfterMs } = await person.waitFor('closing');
      expect({ code, retry }).to.deep.equal({ code: 'drain', retry: true });
      expect(retryAfterMs).to.be.within(0, 1_000);
    }
    expect([...turns.values()].reduce((sum, left) => sum + left)).to.equal(20);
    expect(turns.size, 'not all at the same moment').to.be.above(2);
  });
});
