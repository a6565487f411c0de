/** A run that is stopped leaves nothing behind: neither workers nor servers, browsers or files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../support/time.ts';

const program = fileURLToPath(new URL('run.ts', import.meta.url));

/** The command lines of processes that work in this folder. */
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

describe('a run of tests that is stopped', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`by ${signal} ends what it has started`, async () => {
      const args = ['--import=tsx', program, 'test/browser/pins.test.ts'];
      const run = spawn(process.execPath, args, { stdio: 'ignore' });
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
