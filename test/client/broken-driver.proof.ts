/**
 * The tests of the client’s six rules (rules.test.ts) are proven: copies of the driver without one rule are caught, each
 * by the test of its name. As test/chaos does with broken builds of the server.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { offerDatabase } from '../support/database.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What stands in the copy in place of the rule. */
const breakages: { rule: number; file: string; instead: [of: string, put: string] }[] = [
  {
    rule: 1,
    file: 'sync/version-gate.ts',
    instead: ['from <= version && version < to', 'from >= 0 && version < to'],
  },
  {
    rule: 2,
    file: 'sync/rows.ts',
    instead: ['if (row.version <= knownVersion(slice, id)) return false;', ''],
  },
  {
    rule: 3,
    file: 'messages/window.ts',
    instead: ['if (index === rows.length) rows.push(row);', 'if (index >= 0) rows.push(row);'],
  },
  {
    rule: 4,
    file: 'sync/connection.ts',
    instead: ['await this.#whenReady();', 'void this.#whenReady().catch(() => undefined);'],
  },
  { rule: 5, file: 'sync/sync-client.ts', instead: ['ready.epoch !== this.#rooms.epoch || ', ''] },
  {
    rule: 6,
    file: 'sync/sync-client.ts',
    instead: ['if (isVisible()) this.syncAll(looks % 5 === 0);', 'isVisible();'],
  },
];

describe('a driver of the client', function () {
  this.timeout(300_000);
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

  it('with all six rules is not complained of', async () => {
    expect(await failures(directory)).to.deep.equal([]);
  });

  for (const { rule, file, instead } of breakages)
    it(`without rule ${rule} is caught by its name`, async () => {
      const path = join(directory, 'client', file);
      const whole = await readFile(path, 'utf8');
      const pieces = whole.split(instead[0]);
      expect(pieces, `${file}: ${instead[0]}`).to.have.length(2);
      await writeFile(path, pieces.join(instead[1]));
      try {
        expect(await failures(directory)).to.include(rule);
      } finally {
        await writeFile(path, whole);
      }
    });
});

/** The rules whose tests fail with the driver in this directory. */
async function failures(directory: string): Promise<number[]> {
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    '--reporter',
    'json',
    '--timeout',
    '30000',
    '--exit',
  ];
  const told = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [...mocha, 'test/client/rules.test.ts'],
      { cwd: directory },
      (_, stdout) => resolve(stdout),
    );
  });
  const { failures } = JSON.parse(told.slice(told.indexOf('{\n'))) as {
    failures: { title: string }[];
  };
  return failures.map(({ title }) => Number(/^rule (\d):/.exec(title)?.[1]));
}
