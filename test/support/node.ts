/** A node in its own process, which a test can kill. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LeaseTiming } from '../../server/cluster/leases.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { forTests } from './settings.ts';

export interface Described {
  settings: Record<string, string>;
  where: DatabaseAddress;
  timing?: LeaseTiming;
  preload?: string;
  /** The heap limit in MB. By default, V8 leaves garbage until much more than that is there. */
  heap?: number;
}

export async function startNode(
  described: Described,
): Promise<{ url: string; process: ChildProcess }> {
  const asTest: Described = { ...described, settings: { ...forTests, ...described.settings } };
  const script = fileURLToPath(new URL('node-itself.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [
      ...(described.preload === undefined ? [] : ['--import', described.preload]),
      ...(described.heap === undefined ? [] : [`--max-old-space-size=${described.heap}`]),
      ...[script, Buffer.from(JSON.stringify(asTest)).toString('base64url')],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { url: url.replace('localhost', '127.0.0.1'), process: child };
}
