import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Parley speaks WebSocket alone: what else engine.io-client can speak is 2 kB that no page uses. */
const webSocketOnly: Plugin = {
  name: 'websocket only',
  load: (id) =>
    /engine\.io-client.build.esm.transports.index\.js$/.test(id)
      ? "import { WS } from './websocket.js'; export const transports = { websocket: WS };"
      : undefined,
};

/** By everybody: the beginning, and what the way in and the app have in common. */
const needed =
  /client.(main\.ts|session.error-text\.ts|ui.(ErrorNote\.svelte|initials\.ts))$|shared.limits\.ts$|icons.info\.\w+$/;

export default defineConfig({
  root: here('.'),
  plugins: [svelte(), webSocketOnly],
  build: {
    outDir: here('../dist/client'),
    emptyOutDir: true,
    // The content security policy allows neither inline scripts nor data: addresses.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      treeshake: { moduleSideEffects: [{ test: /engine\.io-client/, sideEffects: false }] },
      output: {
        // Each with all that it needs: else what a later part needs too would be a request of its own.
        codeSplitting: {
          groups: [
            { name: 'main', test: needed, priority: 3 },
            { name: 'app', test: /session.signed-in\.ts$/, priority: 2 },
            { name: 'entrance', test: /accounts.SignInPage\.svelte$/, priority: 1 },
          ],
        },
      },
    },
  },
});
