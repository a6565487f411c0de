/**
 * Proves the tests of the client’s six rules (rules.test.ts): each copy of the driver without a rule fails the test of
 * that rule. test/chaos does the same with broken builds of the server.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { offerDatabase } from '../support/database.ts';
import { breakages, breakFile } from './broken-driver.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('a driver of the client', function () {
  this.slow(30_000);
  let directory: string;

  before(async () => {
    await offerDatabase();
    directory = await mkdtemp(join(tmpdir(), 'parley-driver-'));
    for (const name of ['client', 'shared', 'server', 'test', 'package.json', '.mocharc.json'])
      await cp(join(root, name), join(directory, name), { recursive: true });
    for (const name of ['node_modules', 'dist', 'docs', 'scripts'])
      await symlink(join(root, name), join(directory, name));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('passes with all six rules', async () => {
    expect(await failures(directory)).to.deep.equal([]);
  });

  for (const breakage of breakages)
    it(`without rule ${breakage.rule} fails the test of that rule`, async () => {
      const client = join(directory, 'client');
      const path = join(client, breakage.file);
      const { whole, broken } = await breakFile(client, breakage);
      await writeFile(path, broken);
      try {
        expect(await failures(directory)).to.include(breakage.rule);
      } finally {
        await writeFile(path, whole);
      }
    });
});

async function failures(directory: string): Promise<number[]> {
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    '--reporter',
    'json',
    '--timeout',
    '30000',
    '--exit',
  ];
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [...mocha, 'test/client/rules.test.ts'],
      { cwd: directory },
      (_, stdout) => resolve(stdout),
    );
  });
  const { failures } = JSON.parse(output.slice(output.indexOf('{\n'))) as {
    failures: { title: string }[];
  };
  return failures.map(({ title }) => Number(/^rule (\d):/.exec(title)?.[1]));
}
