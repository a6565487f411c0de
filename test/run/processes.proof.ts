import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../support/time.ts';

const program = fileURLToPath(new URL('run.ts', import.meta.url));

/** Command lines of the processes that have `folder` in their environment or arguments. */
const commandsIn = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
        const command = read('cmdline').replaceAll('\0', ' ');
        return `${read('environ')}${command}`.includes(folder) ? [command] : [];
      } catch {
        return [];
      }
    });

const foldersOfRuns = () => readdirSync(tmpdir()).filter((name) => name.startsWith('parley-run-'));

describe('a stopped test run', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`ends its processes and removes its files on ${signal}`, async () => {
      // Without the servers of the surrounding run, it starts its own.
      const env = { ...process.env, TEST_POSTGRES: undefined, TEST_REDIS: undefined };
      const args = ['--import=tsx', program, 'test/browser/pins.test.ts'];
      const run = spawn(process.execPath, args, { stdio: 'ignore', env });
      const exit = once(run, 'exit');
      let folder = '';
      const hasStarted = (what: string) => commandsIn(folder).some((line) => line.includes(what));
      await until(() => {
        [folder = ''] = foldersOfRuns();
        return folder !== '' && ['postgres', 'redis-server', 'chromium'].every(hasStarted);
      });
      run.kill(signal);
      await exit;
      await until(() => commandsIn(folder).length === 0);
      expect(foldersOfRuns()).to.deep.equal([]);
    });
});
