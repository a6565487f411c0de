/** The thread of slow-compare.ts. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcrypt';
import { z } from 'zod';

const Asked = z.object({ digest: z.string(), hash: z.string() });

// Linux has a priority for each thread, and takes this for the one that asks. Elsewhere it would be the whole process’s.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

parentPort?.on('message', (message: unknown) => {
  const { digest, hash } = Asked.parse(message);
  parentPort?.postMessage(bcrypt.compareSync(digest, hash));
});
