import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../scripts/cluster/place.ts';
import { plainType } from '../../shared/file-types.ts';
import { upload } from '../support/files.ts';
import { enterAs } from '../support/person.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('a node that cannot make pictures', () => {
  let directory: string;
  let node: ChildProcess | undefined;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pn-'));
    await chmod(directory, 0o755);
  });
  after(async () => {
    if (node?.exitCode === null) {
      node.kill('SIGTERM');
      await once(node, 'exit');
    }
    const cluster = await realpath(join(directory, 'data/postgres')).catch(() => directory);
    await rm(cluster, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });

  async function installWithout(library: string): Promise<void> {
    await cp(join(root, 'dist'), join(directory, 'dist'), { recursive: true });
    await cp(join(root, 'package.json'), join(directory, 'package.json'));
    const libraries = join(directory, 'node_modules');
    await mkdir(libraries);
    for (const name of await readdir(join(root, 'node_modules')))
      if (name !== library) await symlink(join(root, 'node_modules', name), join(libraries, name));
  }

  it('says so in one line, and keeps pictures as files to download', async function () {
    if (!existsSync(join(root, 'dist/server/main.js'))) this.skip();
    await installWithout('sharp');
    const port = await freePort();
    const env = {
      ...process.env,
      ...{ PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'silent' },
      ...{ PARLEY_DATA: join(directory, 'data'), PARLEY_PASSWORD_COST: '4' },
    };
    node = spawn(process.execPath, [join(directory, 'dist/server/main.js')], { env });
    const output = { out: '', error: '' };
    node.stdout?.on('data', (text: Buffer) => (output.out += String(text)));
    node.stderr?.on('data', (text: Buffer) => (output.error += String(text)));
    await until(
      () => output.out.includes('\n') && output.error.includes('\n'),
      () => JSON.stringify(output),
    );
    expect(output.error).to.match(/^The package “sharp” can’t be loaded on this machine.*\n$/);
    const ann = await enterAs(`http://127.0.0.1:${port}`, 'register', {
      username: 'ann',
      password: 'a sentence of hers',
      invite: /\/join\/(\S+)/.exec(output.out)?.[1],
    });
    const { servers } = await ann.send('server:list', {});
    const bytes = await picture().png().toBuffer();
    const file = await upload(ann, servers[0]!.defaultChannelId, bytes);
    expect(file).to.include({ type: plainType, size: bytes.length });
    ann.close();
  });
});
