/** Builds the service worker after the page, because it contains the names of the page’s files. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { webSocketOnly } from './websocket-only.ts';

const entry = fileURLToPath(new URL('../worker/worker.ts', import.meta.url));
const fileName = 'worker.js';

export function worker(): Plugin {
  let folder = '';
  return {
    name: 'service worker',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    async closeBundle() {
      rmSync(join(folder, fileName), { force: true });
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => join(file.parentPath, file.name).slice(folder.length).replaceAll('\\', '/'))
        .sort();
      const hash = createHash('sha256');
      for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
      await build({
        configFile: false,
        logLevel: 'warn',
        plugins: [webSocketOnly],
        define: {
          builtFiles: JSON.stringify(files.map((file) => (file === '/index.html' ? '/' : file))),
          buildHash: JSON.stringify(hash.digest('hex').slice(0, 12)),
        },
        publicDir: false,
        build: {
          outDir: folder,
          emptyOutDir: false,
          lib: { entry, name: 'worker', formats: ['iife'], fileName: () => fileName },
        },
      });
    },
  };
}
