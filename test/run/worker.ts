/** Runs one test file after the other, as it is told by run.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import Mocha from 'mocha';
import { usedByFamily } from '../bench/cpu.ts';
import { mochaGlobalTeardown, mochaHooks } from '../support/hooks.ts';
import { listen, type Ran } from './report.ts';

process.on('message', (file: string | undefined) => void (file === '' ? end() : run(file!)));

async function run(file: string): Promise<void> {
  const mocha = new Mocha({ timeout: 180_000, slow: 2_000, rootHooks: mochaHooks });
  const ran: Ran = { file, ms: 0, cpuMs: 0, tests: [] };
  const began = Date.now();
  const before = await usedByFamily(process.pid);
  try {
    await mocha.addFile(file).loadFilesAsync();
    await new Promise<void>((resolve) =>
      listen(
        mocha.run(() => resolve()),
        ran,
      ),
    );
    // Otherwise it listens to this process for as long as that lives.
    mocha.dispose();
  } catch (error) {
    // It does not even load.
    console.error(error);
    ran.tests.push({ title: `${file} loads`, ms: 0, outcome: 'failed' });
  }
  ran.ms = Date.now() - began;
  ran.cpuMs = ((await usedByFamily(process.pid)) - before) / 1_000;
  process.send?.(ran);
}

/** Its own programs get this long to end, in ms; those that do not are ended with it. */
const patience = 30_000;

async function end(): Promise<void> {
  const closed = mochaGlobalTeardown().then(() => true);
  if (!(await Promise.race([closed, sleep(patience, false)])))
    console.error(`This worker's browser or servers did not end within ${patience / 1_000} s.`);
  process.exit();
}
