import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import bcrypt from 'bcrypt';
import { z } from 'zod';
import { Asked } from './bcrypt-threads.ts';

// On Linux this is the priority of the calling thread. Elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(z.int().parse(workerData));

parentPort?.on('message', (message: unknown) => {
  const asked = Asked.parse(message);
  parentPort?.postMessage(
    'hash' in asked
      ? bcrypt.compareSync(asked.digest, asked.hash)
      : bcrypt.hashSync(asked.digest, asked.cost),
  );
});
