/** What `npm run cluster` starts: several nodes behind a real load balancer, at one address. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, type Cluster } from '../scripts/cluster/cluster.ts';
import { freePort } from '../scripts/cluster/place.ts';
import { connectAs, enterAs, type Person } from './support/person.ts';
import { until } from './support/time.ts';

describe('three nodes behind a load balancer', () => {
  let directory: string;
  let url: string;
  let cluster: Cluster;
  let people: Person[];
  const said: string[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-cluster-'));
    // PostgreSQL may run as somebody else, who must get there.
    await chmod(directory, 0o755);
    const port = await freePort();
    url = `http://localhost:${port}`;
    const env = { PARLEY_RATE_SCALE: '100000', PARLEY_DRAIN_SECONDS: '1' };
    const log = (line: string) => void said.push(line);
    cluster = await startCluster({ port, directory: join(directory, 'data'), env: () => env, log });
    people = await Promise.all(
      Array.from({ length: 9 }, (_, i) => enterAs(url, 'guest', { displayName: `Guest ${i}` })),
    );
  });
  after(async () => {
    for (const person of people) person.close();
    await cluster.close();
    await rm(directory, { recursive: true });
  });

  const nodesOf = (some: Person[]) => new Set(some.map(({ ready }) => ready.node));

  /** As a client does: again and again, until it is in. */
  async function back({ cookie }: Person): Promise<Person> {
    for (;;) {
      const person = await connectAs(url, cookie).catch(() => undefined);
      if (person !== undefined) return person;
      // As a client does, whose first pause is about as long.
      await sleep(200);
    }
  }

  it('spreads people, who hear each other, whichever node they are on', async () => {
    expect(cluster.greeting).to.include(`${url}/join/`);
    expect(nodesOf(people).size).to.equal(3);
    const [ann, ...others] = people as [Person, ...Person[]];
    const [lobby] = (await ann.send('server:list', {})).servers;
    const channelId = lobby?.defaultChannelId ?? '';
    for (const person of people) await person.send('channel:join', { channelId });
    await ann.send('message:send', { timelineId: channelId, body: 'To all' });
    for (const other of others)
      await other.hears('changes', ({ room }) => room === `timeline:${channelId}`);
  });

  it('lets those of a killed node in again on another, within five seconds', async () => {
    const [{ url: killed, child }] = cluster.nodes as [Cluster['nodes'][0]];
    const gone = people.map(async (person) => {
      if (person.socket.connected)
        await new Promise((resolve) => person.socket.once('disconnect', resolve));
      return person;
    });
    child.signal('SIGKILL');
    const first = await Promise.race(gone);
    const left = people.filter(({ ready }) => ready.node === first.ready.node);
    const came = await Promise.race([Promise.all(left.map(back)), sleep(5_000)]);
    expect(came, 'all are back').to.have.length(left.length);
    expect(nodesOf(came ?? [])).not.to.include(first.ready.node);
    people = [...people.filter((person) => !left.includes(person)), ...(came ?? [])];
    expect(said.at(-1)).to.equal('node 1 ended (SIGKILL): started again.');
    const answers = async () =>
      fetch(`${killed}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(answers);
  });

  it('tells a stopped node’s people to come back, and who they are stays known', async () => {
    const ids = new Set(people.map(({ id }) => id));
    const [, , { child }] = cluster.nodes as [unknown, unknown, Cluster['nodes'][0]];
    child.signal('SIGTERM');
    const told = await Promise.race(
      people.map(async (person) => (await person.hears('closing'), person)),
    );
    expect(told.heard('closing')[0]).to.include({ code: 'drain', retry: true });
    const leaving = people.filter(({ ready }) => ready.node === told.ready.node);
    for (const person of leaving) await person.hears('closing');
    const came = await Promise.all(leaving.map(back));
    expect(nodesOf(came)).not.to.include(told.ready.node);
    expect(came.every(({ id }) => ids.has(id))).to.equal(true);
    people = [...people.filter((person) => !leaving.includes(person)), ...came];
  });
});
