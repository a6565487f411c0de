/** Runs one test file after the other, in the order of the messages of run.ts. */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import Mocha from 'mocha';
import type * as Hooks from '../support/hooks.ts';
import { longestTest } from '../support/time.ts';
import { endProcesses } from './processes.ts';
import { listen, type Tried } from './report.ts';

/** Loaded by `require`, as Mocha loads test files, so that hooks and tests share one copy of each module. */
const { mochaGlobalTeardown, mochaHooks } = createRequire(import.meta.url)(
  '../support/hooks.ts',
) as typeof Hooks;

// Clean up here, because run.ts was killed before it could.
process.on('disconnect', () => {
  endProcesses();
  process.exit(1);
});
process.on('message', (file: string | undefined) => void (file === '' ? end() : run(file!)));

async function run(file: string): Promise<void> {
  const mocha = new Mocha({ timeout: longestTest, slow: 2_000, rootHooks: mochaHooks });
  const tests: Tried[] = [];
  try {
    await mocha.addFile(file).loadFilesAsync();
    await new Promise<void>((resolve) =>
      listen(
        mocha.run(() => resolve()),
        tests,
      ),
    );
    // Mocha would otherwise keep its listeners on this process for as long as it lives.
    mocha.dispose();
  } catch (error) {
    console.error(error);
    tests.push({ title: `${file} loads`, ms: 0, outcome: 'failed' });
  }
  process.send?.(tests);
}

/** Milliseconds for the worker's own programs to end; the rest is killed with it. */
const timeoutMs = 30_000;

async function end(): Promise<void> {
  const closed = mochaGlobalTeardown().then(() => true);
  if (!(await Promise.race([closed, sleep(timeoutMs, false)])))
    console.error(`This worker's browser or servers did not end within ${timeoutMs / 1_000} s.`);
  process.exit();
}
