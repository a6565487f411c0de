import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  plugins: [svelte()],
  build: {
    outDir: here('../dist/client'),
    emptyOutDir: true,
    // The content security policy allows neither inline scripts nor data: addresses.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        // Each with all that it needs: else what a later part needs too would be a request of its own.
        codeSplitting: {
          groups: [
            { name: 'main', test: /client.main\.ts$/, priority: 2 },
            { name: 'app', test: /session.signed-in\.ts$/, priority: 1 },
          ],
        },
      },
    },
  },
});
