/** Several nodes behind a real load balancer at one address, as `npm run cluster` starts them. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, type RunningCluster } from '../../scripts/cluster/cluster.ts';
import { freePort } from '../../scripts/cluster/place.ts';
import { connectAs, enterAs, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('three nodes behind a load balancer', () => {
  let directory: string;
  let url: string;
  let cluster: RunningCluster;
  let people: Person[];
  const said: string[] = [];
  let metrics: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-cluster-'));
    // PostgreSQL can run as another user, which needs access to this directory.
    await chmod(directory, 0o755);
    const port = await freePort();
    url = `http://localhost:${port}`;
    metrics = `127.0.0.1:${await freePort()}`;
    const env = (node: number) => ({
      PARLEY_RATE_SCALE: '100000',
      PARLEY_DRAIN_SECONDS: '1',
      ...(node === 0 && { PARLEY_METRICS: metrics }),
    });
    const log = (line: string) => void said.push(line);
    cluster = await startCluster({ port, directory: join(directory, 'data'), env, log });
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

  async function back({ cookie }: Person): Promise<Person> {
    for (;;) {
      const person = await connectAs(url, cookie).catch(() => undefined);
      if (person !== undefined) return person;
      // About as long as the first pause of a client.
      await sleep(200);
    }
  }

  /** Sends a path unchanged. `isOfNode` is true when a node answered: its pages have a content security policy. */
  const ask = (to: string, path: string) =>
    new Promise<{ status: number | undefined; isOfNode: boolean }>((resolve, reject) => {
      request(to, { path }, (response) => {
        response.resume();
        const isOfNode = 'content-security-policy' in response.headers;
        resolve({ status: response.statusCode, isOfNode });
      })
        .on('error', reject)
        .end();
    });
  const hidden = { status: 404, isOfNode: false };
  const expected = { status: 200, isOfNode: true };

  it('share the clients, and a message reaches the clients of all nodes', async () => {
    expect(cluster.greeting).to.include(`${url}/join/`);
    expect(nodesOf(people).size).to.equal(3);
    const [ann, ...others] = people as [Person, ...Person[]];
    const [lobby] = (await ann.send('server:list', {})).servers;
    const channelId = lobby?.defaultChannelId ?? '';
    for (const person of people) await person.send('channel:join', { channelId });
    await ann.send('message:send', { timelineId: channelId, body: 'To all' });
    for (const other of others)
      await other.waitFor('changes', ({ room }) => room === `timeline:${channelId}`);
  });

  it('show readiness and metrics at their own addresses, but not through the load balancer', async () => {
    const [{ url: node }] = cluster.nodes as [RunningCluster['nodes'][0]];
    for (const path of ['/readyz', '/livez', '/READYZ', '/livez/', '/readyz?now']) {
      expect(await ask(url, path), path).to.deep.equal(hidden);
      expect(await ask(node, path), path).to.deep.equal(expected);
    }
    expect(await ask(url, `${url}/readyz`)).to.deep.equal(hidden);
    expect(await ask(node, `${node}/readyz`)).to.deep.equal(expected);
    expect(await ask(url, '/metrics')).to.deep.equal(hidden);
    expect(await ask(`http://${metrics}`, '/metrics')).to.include({ status: 200 });
  });

  it('take over the clients of a killed node within five seconds', async () => {
    const [{ url: killed, child }] = cluster.nodes as [RunningCluster['nodes'][0]];
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
    expect(said.at(-1)).to.equal('node 1 ended (SIGKILL); restarting it.');
    const answers = async () =>
      fetch(`${killed}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(answers);
  });

  it('send the clients of a stopped node to another, where they keep their accounts', async () => {
    const ids = new Set(people.map(({ id }) => id));
    const [, , { child }] = cluster.nodes as [unknown, unknown, RunningCluster['nodes'][0]];
    child.signal('SIGTERM');
    const drained = await Promise.race(
      people.map(async (person) => (await person.waitFor('closing'), person)),
    );
    expect(drained.received('closing')[0]).to.include({ code: 'drain', retry: true });
    const leaving = people.filter(({ ready }) => ready.node === drained.ready.node);
    for (const person of leaving) await person.waitFor('closing');
    const came = await Promise.all(leaving.map(back));
    expect(nodesOf(came)).not.to.include(drained.ready.node);
    expect(came.every(({ id }) => ids.has(id))).to.equal(true);
    people = [...people.filter((person) => !leaving.includes(person)), ...came];
  });
});
