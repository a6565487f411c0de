import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { freePort } from '../../scripts/cluster/place.ts';
import { withBroken } from '../chaos/broken.ts';
import { freshDatabase } from '../support/database.ts';
import { forTests } from '../support/settings.ts';
import { until } from '../support/time.ts';

const careless = {
  rule: 'leaves a rejected promise behind',
  file: 'http/express.js',
  instead: [
    "void response.json({ status: 'ok' })",
    "{ void Promise.reject(new Error('foreseen by nobody')); response.json({ status: 'ok' }); }",
  ] as [string, string],
};

describe('an unhandled rejection', () => {
  let node: ChildProcess;
  after(async () => {
    if (node.exitCode !== null) return;
    node.kill('SIGKILL');
    await once(node, 'exit');
  });

  it('is logged and counted, and the node keeps running', async () => {
    const { user, host, database } = await freshDatabase();
    const [port, metrics] = [await freePort(), `127.0.0.1:${await freePort()}`];
    const env = {
      PATH: process.env.PATH,
      ...forTests,
      PORT: String(port),
      LOG_LEVEL: 'error',
      DATABASE_URL: `postgres://${user}@localhost/${database}?${new URLSearchParams({ host })}`,
      PARLEY_METRICS: metrics,
    };
    await withBroken(careless, async (program) => {
      node = spawn(process.execPath, program, { env });
      const said = { out: '', error: '' };
      node.stdout?.on('data', (text: Buffer) => (said.out += String(text)));
      node.stderr?.on('data', (text: Buffer) => (said.error += String(text)));
      await until(
        () => said.out.includes('Parley is ready'),
        () => JSON.stringify(said),
      );
      for (let i = 0; i < 3; i += 1) {
        const { status } = await fetch(`http://127.0.0.1:${port}/livez`);
        expect(status).to.equal(200);
      }
      const counted = await (await fetch(`http://${metrics}/metrics`)).text();
      expect(counted).to.include('parley_unhandled_rejections_total 3');
      await until(() => said.error.includes('foreseen by nobody'));
      expect(node.exitCode).to.equal(null);
    });
  });
});
