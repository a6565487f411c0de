/** docker-compose.yml without Docker: runs its real scripts and configurations. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createConnection, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { freePort } from '../../scripts/cluster/place.ts';
import { connect, type DatabaseAddress } from '../../server/database/connect.ts';
import { startApp } from '../support/app.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/time.ts';

interface Service {
  image: string;
  read_only?: boolean;
  mem_limit?: string;
  pids_limit?: number;
  environment?: Record<string, string>;
  volumes?: string[];
  command?: string | string[];
}

const file = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const compose = parse(await readFile(file('docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const { services } = compose;
const nodes = [services.node1, services.node2, services.node3] as Service[];

const running: ChildProcess[] = [];
after(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

describe('docker-compose.yml', () => {
  it('bounds the memory and the processes of every container', () => {
    for (const [name, { mem_limit, pids_limit }] of Object.entries(services)) {
      expect(mem_limit, name).to.match(/^\d+[mg]$/);
      expect(pids_limit, name).to.be.within(1, 1_000);
    }
  });

  it('gives nodes the public address, and only their own secrets', () => {
    for (const { environment, volumes } of nodes) {
      expect(environment?.NODE_ENV).to.equal('production');
      expect(environment?.PUBLIC_URL).to.equal('${PUBLIC_URL:-http://localhost:${PORT:-3000}}');
      expect(volumes).to.deep.equal(['node-secrets:/secrets:ro']);
    }
  });

  it('builds with a maintained Node, and runs no script of a package', async () => {
    const text = await readFile(file('scripts/cluster/Dockerfile'), 'utf8');
    const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(images)).to.deep.equal(new Set(['node:24.21-bookworm-slim']));
    for (const [command] of text.matchAll(/npm (ci|prune)[^&\n]*/g))
      expect(command).to.include('--ignore-scripts');
  });
});

describe('the secrets that docker-compose.yml makes', () => {
  let directory: string;
  const secret = (name: string) => readFile(join(directory, name), 'utf8');

  function makeSecrets() {
    const script = services.secrets?.command?.[0] ?? '';
    const made = spawnSync('bash', ['-euc', script.replaceAll('$$', '$')], {
      cwd: directory,
      // With a socket as its input, bash reads the settings of interactive shells.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(made.stderr.toString()).to.equal('');
    expect(made.status).to.equal(0);
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-secrets-'));
    for (const name of ['stores', 'nodes']) await mkdir(join(directory, name));
    makeSecrets();
  });
  after(() => rm(directory, { recursive: true }));

  it('are long, differ from each other, and stay when it starts again', async () => {
    const names = ['postgres', 'node', 'redis', 'store'].map((name) => `stores/${name}-password`);
    const read = () => Promise.all([...names, 'nodes/redis-url'].map(secret));
    const first = await read();
    for (const password of first.slice(0, 4)) expect(password).to.match(/^[\w-]{32}$/);
    expect(new Set(first).size).to.equal(5);
    makeSecrets();
    expect(await read()).to.deep.equal(first);
    for (const name of ['database-url', 'redis-url'])
      expect(await secret(`nodes/${name}`)).not.to.include(first[0]);
  });

  it('give nodes and the object store the same key', async () => {
    const script = (services.store?.command?.[0] ?? '')
      .replaceAll('$$', '$')
      .replaceAll('/files', join(directory, 'files'))
      .replace('/secrets', join(directory, 'stores'))
      .replace(/exec versitygw .*/, 'echo $ROOT_ACCESS_KEY $ROOT_SECRET_KEY');
    const started = spawnSync('sh', ['-euc', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    expect(started.stderr.toString()).to.equal('');
    const reading = `import { S3Client } from '@aws-sdk/client-s3';
      const keys = await new S3Client({ region: 'us-east-1' }).config.credentials();
      console.log(keys.accessKeyId, keys.secretAccessKey);`;
    const read = spawnSync(process.execPath, ['--input-type=module', '-e', reading], {
      // Empty, as docker-compose.yml sets them by default.
      env: {
        ...{ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
        AWS_SHARED_CREDENTIALS_FILE: join(directory, 'nodes/store-keys'),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(read.stdout.toString()).to.match(/^parley [\w-]{32}\n$/);
    expect(read.stdout.toString()).to.equal(started.stdout.toString());
    expect((await stat(join(directory, 'files/parley'))).isDirectory()).to.equal(true);
  });

  it('deny Redis to everybody else', async () => {
    const port = await freePort();
    const redis = spawn(
      'redis-server',
      [join(directory, 'stores/redis.conf'), '--port', String(port), '--dir', directory],
      { stdio: 'ignore' },
    );
    const ask = async (url: string) => {
      const client = new Redis(url, { retryStrategy: null, lazyConnect: true });
      client.on('error', () => undefined);
      return client
        .connect()
        .then(() => client.ping())
        .catch(() => 'no answer')
        .finally(() => client.disconnect());
    };
    const url = (await secret('nodes/redis-url')).replace('redis:6379', `127.0.0.1:${port}`);
    running.push(redis);
    await until(async () => (await ask(url)) === 'PONG');
    const stranger = createConnection(port, '127.0.0.1');
    stranger.write('PING\r\n');
    const [refused] = (await once(stranger, 'data')) as [Buffer];
    expect(refused.toString()).to.match(/^-NOAUTH/);
    stranger.destroy();
  });

  for (const [name, isUsed] of [
    ['a new database', false],
    ['one that the superuser filled before', true],
  ] as const)
    it(`let nodes run without a superuser role, in ${name}`, async () => {
      const where = await freshDatabase();
      if (isUsed) {
        const app = await startApp({}, where);
        await app.person('Before');
        await app.close();
      }
      const { user, password } = readUrl(await secret('nodes/database-url'));
      const sql = await readFile(file('scripts/cluster/role.sql'), 'utf8');
      const admin = connect(where, 1);
      // Twice, because it runs at each start.
      for (let i = 0; i < 2; i += 1) {
        await admin.query(`select set_config('parley.password', '${password}', false)`);
        await admin.query(sql);
      }
      await admin.close();
      const theirs: DatabaseAddress = { ...where, user };
      const app = await startApp({}, theirs);
      const ann = await app.person('Ann');
      await ann.send('server:create', { name: 'Garden' });
      await app.close();
      const role = connect(theirs, 1);
      const [rows] = await role.query(
        `select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
         from pg_roles where rolname = current_user`,
      );
      expect(Object.values((rows as object[])[0] ?? {})).to.deep.equal(Array(5).fill(false));
      for (const forbidden of [
        'select * from pg_authid',
        `copy (select 1) to program 'true'`,
        `select pg_read_file('/etc/passwd')`,
        'create role another superuser',
        'alter role parley_app superuser',
      ]) {
        const refused: unknown = await role.query(forbidden).catch((error: unknown) => error);
        expect(String(refused), forbidden).to.match(
          /permission denied|must be superuser|Only roles/,
        );
      }
      await role.close();
    });
});

const readUrl = (text: string) => {
  const { username: user, password } = new URL(text);
  return { user, password };
};

describe('scripts/cluster/haproxy.cfg', () => {
  let echo: Server;
  let node: string;

  before(async () => {
    echo = createServer(({ headers }, response) => response.end(JSON.stringify(headers)));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    node = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
  });
  after(() => {
    echo.closeAllConnections();
    echo.close();
  });

  const claims = { 'x-forwarded-for': '203.0.113.66', 'x-forwarded-proto': 'https' };

  /** The headers that a node receives for a client that forges an address and https. */
  async function forwardedHeaders(env: Record<string, string>): Promise<IncomingHttpHeaders> {
    const port = await freePort();
    const behind = { NODE_1: node, NODE_2: node, NODE_3: node };
    running.push(
      spawn('haproxy', ['-q', '-f', file('scripts/cluster/haproxy.cfg')], {
        env: { PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}`, ...behind, ...env },
        stdio: 'ignore',
      }),
    );
    let headers: IncomingHttpHeaders | undefined;
    await until(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { headers: claims }).catch(
        () => undefined,
      );
      if (response?.ok === true) headers = (await response.json()) as IncomingHttpHeaders;
      return headers !== undefined;
    });
    return headers!;
  }

  it('forwards no address and no protocol that a client claims', async () => {
    for (const env of [{}, { FRONT_PROXY: '' }, { FRONT_PROXY: '192.0.2.0/24' }]) {
      const headers = await forwardedHeaders(env);
      expect(headers['x-forwarded-for']).to.equal('127.0.0.1');
      expect(headers['x-forwarded-proto']).to.equal(undefined);
    }
  });

  it('trusts a proxy in front at the configured address', async () => {
    const headers = await forwardedHeaders({ FRONT_PROXY: '127.0.0.0/8' });
    expect(headers['x-forwarded-for']).to.equal('203.0.113.66, 127.0.0.1');
    expect(headers['x-forwarded-proto']).to.equal('https');
  });
});
