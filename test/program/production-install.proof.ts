/** Starts the server as scripts/cluster/Dockerfile installs it: production dependencies only. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../scripts/cluster/place.ts';
import { freshDatabase } from '../support/database.ts';
import { enterAs } from '../support/person.ts';
import { sharedRedis } from '../support/redis.ts';
import { forTests } from '../support/settings.ts';
import { until } from '../support/time.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('an installation without development dependencies', () => {
  let folder: string;
  let node: ChildProcess | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-production-'));
    for (const name of ['dist', 'package.json', 'package-lock.json'])
      await cp(join(root, name), join(folder, name), { recursive: true });
    const install = ['ci', '--omit=dev', '--no-audit', '--no-fund'];
    const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  });
  after(async () => {
    node?.kill('SIGKILL');
    if (node !== undefined) await once(node, 'close');
    await rm(folder, { recursive: true, force: true });
  });

  it('starts with PostgreSQL and Redis, and accepts a message', async () => {
    const { user, host, database } = await freshDatabase();
    const port = await freePort();
    const env = {
      PATH: process.env.PATH,
      ...forTests,
      PORT: String(port),
      DATABASE_URL: `postgres://${user}@localhost/${database}?${new URLSearchParams({ host })}`,
      REDIS_URL: (await sharedRedis()).url,
    };
    node = spawn(process.execPath, ['dist/server/main.js'], { cwd: folder, env });
    const said = { out: '', error: '' };
    node.stdout?.on('data', (text: Buffer) => (said.out += String(text)));
    node.stderr?.on('data', (text: Buffer) => (said.error += String(text)));
    await until(
      () => said.out.includes('Parley is ready'),
      () => JSON.stringify(said),
    );
    const ann = await enterAs(`http://127.0.0.1:${port}`, 'guest', { displayName: 'Ann' });
    const [lobby] = (await ann.send('server:list', {})).servers;
    const say = { timelineId: lobby!.defaultChannelId, body: 'Hello' };
    expect((await ann.send('message:send', say)).message.body).to.equal('Hello');
    ann.close();
  });
});
