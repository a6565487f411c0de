import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ESLint } from 'eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Diagnostics {
  diagnostics: { code: string; filename: string }[];
}

async function broken(path: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: path });
  return result!.messages.map(({ ruleId, message }) => ruleId ?? message);
}

const checked = new Set([
  'parley/borders',
  'parley/no-barrel',
  'parley/no-cycle',
  'parley/dependencies',
  'parley/handled',
  'parley/catch-at-the-door',
  'parley/one-way-out',
  'no-restricted-imports',
  'no-restricted-globals',
  'no-warning-comments',
  'svelte/no-at-html-tags',
  'svelte/require-each-key',
  '@typescript-eslint/no-explicit-any',
  '@typescript-eslint/ban-ts-comment',
]);

const eslint = new ESLint({
  overrideConfig: { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  ruleFilter: ({ ruleId }) => checked.has(ruleId),
});

const caught = 'export const safe = () => { try { return 1; } catch { return 2; } };';

const cases: { rule: string; breaks: [string, string][]; keeps: [string, string][] }[] = [
  {
    rule: 'parley/borders',
    breaks: [
      ['client/sync/sync-client.ts', "import { app } from '../../server/app.ts';"],
      [
        'client/messages/Message.svelte',
        '<script lang="ts">import \'../../server/log.ts\';</script>',
      ],
      ['client/sync/sync-client.ts', "import type { App } from '../../server/app.ts';"],
      ['client/sync/sync-client.ts', "export const app = import('../../server/app.ts');"],
      ['server/app.ts', "import { errorText } from '../client/ui/error-text.ts';"],
      ['server/app.ts', "export { errorText } from '../client/ui/error-text.ts';"],
      ['shared/messages.ts', "import { App } from '../server/app.ts';"],
      ['shared/messages.ts', "import { errorText } from '../client/ui/error-text.ts';"],
      ['server/app.ts', "import { person } from '../test/support/people.ts';"],
      ['client/sync/sync-client.ts', "import { ensure } from '../../scripts/ensure.js';"],
      ['server/command.ts', "import type { Features } from './features.ts';"],
      ['server/messages/messages.ts', "import { find } from '../channels/store.ts';"],
      ['server/messages/store.ts', "import { channels } from '../channels/model.ts';"],
      ['server/messages/messages.ts', "import { messages } from './model.ts';"],
      ['server/realtime/subscribe.ts', "import { find } from '../channels/store.ts';"],
      ['server/admission/penalties.ts', "import type { Node } from '../caller.ts';"],
      ['server/node/timer.ts', "import type { Node } from '../caller.ts';"],
      ['server/caller.ts', "import { run } from './command.ts';"],
      ['server/http/gateway.ts', "import { commit } from '../commit.ts';"],
      ['server/friends/friends.ts', "import { features } from '../features.ts';"],
      ['server/features.ts', "import { openNode } from './open-node.ts';"],
      ['server/admission/penalties.ts', "import { untilRead } from '../realtime/backpressure.ts';"],
      ['client/sync/sync-client.ts', "import { errorText } from '../ui/error-text.ts';"],
      ['server/realtime/subscribe.ts', "import { findPeople } from '../people/people.ts';"],
      [
        'server/database/migrations/0001-ground.ts',
        "import { fold } from '../../people/folding.ts';",
      ],
      ['server/connection/sync.ts', "import type { Badge } from '../reads/reads.ts';"],
      ['server/people/people.ts', "import { friendsOf } from '../friends/friends.ts';"],
      ['server/realtime/subscribe.ts', "import { addressOf } from '../http/address.ts';"],
    ],
    keeps: [
      ['client/sync/sync-client.ts', "import { limits } from '../../shared/limits.ts';"],
      ['client/sync/sync-client.ts', "import { waitBefore } from './backoff.ts';"],
      ['client/bot/rooms.ts', "import { SyncClient } from '../sync/sync-client.ts';"],
      ['server/app.ts', "import { features } from './features.ts';"],
      ['server/admission/penalties.ts', "import type { Clock } from '../node/clock.ts';"],
      ['server/connection/sync.ts', "import { jsonBytes } from '../realtime/json-bytes.ts';"],
      ['server/node/log.ts', "import type { Config } from '../config.ts';"],
      ['server/connection/sync.ts', "import type { Caller } from '../caller.ts';"],
      ['server/friends/friends.ts', "import { commit } from '../commit.ts';"],
      ['server/command-line.ts', "import { openNode } from './open-node.ts';"],
      ['server/people/pages.ts', "import { fitting } from '../realtime/fitting.ts';"],
      ['server/friends/friends.ts', "import { findPeople } from '../people/people.ts';"],
      ['server/messages/messages.ts', "import { find } from './store.ts';"],
      ['server/messages/store.ts', "import { messages } from './model.ts';"],
      ['server/messages/messages.ts', "import { channelFor } from '../channels/access.ts';"],
      ['test/messages/messages.test.ts', "import { find } from '../../server/messages/store.ts';"],
    ],
  },
  {
    rule: 'parley/handled',
    breaks: [
      ['server/app.ts', 'void tell();'],
      ['server/app.ts', 'void tell().then(done);'],
      ['server/app.ts', 'void tell().finally(done);'],
      ['server/app.ts', 'void (async () => {})();'],
      ['server/app.ts', 'setImmediate(() => void tell());'],
      ['server/app.ts', 'setImmediate(() => void tell().then(done));'],
    ],
    keeps: [
      ['server/app.ts', "void attempt(app, 'tell', tell);"],
      ['server/app.ts', "void attempt(app, 'tell', tell).then(done);"],
      ['server/app.ts', 'void tell().then(done, done);'],
      ['server/app.ts', 'void tell().catch(done).then(done);'],
      ['server/app.ts', 'export const add = () => void list.push(1);'],
      ['client/session/session.ts', 'void tell();'],
    ],
  },
  {
    rule: 'parley/catch-at-the-door',
    breaks: [
      ['server/messages/messages.ts', caught],
      ['server/realtime/publish.ts', caught],
      ['shared/messages.ts', caught],
    ],
    keeps: [
      ['server/node/attempt.ts', caught],
      ['server/database/embedded.ts', caught],
      ['server/cluster/redis.ts', caught],
      ['client/session/socket.ts', caught],
      [
        'server/messages/messages.ts',
        'export const tidy = () => { try { f(); } finally { g(); } };',
      ],
    ],
  },
  {
    rule: 'parley/one-way-out',
    breaks: [
      ['server/messages/messages.ts', "app.io.local.to('a').emit('changes');"],
      ['server/cluster/leases.ts', "io.serverSideEmit('changes');"],
      ['server/app.ts', "await io.serverSideEmitWithAck('changes');"],
    ],
    keeps: [['server/realtime/sockets.ts', "app.io.local.to('a').emit('changes');"]],
  },
  {
    rule: 'parley/no-barrel',
    breaks: [
      ['shared/protocol.ts', "export * from './messages.ts';"],
      ['client/ui/icons.ts', "export * as icons from './icon.ts';"],
    ],
    keeps: [['shared/protocol.ts', "export { type Message } from './messages.ts';"]],
  },
  {
    rule: 'parley/no-cycle',
    breaks: [
      ['server/node/attempt.ts', "import { every } from './timer.ts';"],
      ['server/node/attempt.ts', "export { every } from './timer.ts';"],
      ['server/node/attempt.ts', "import './timer.ts';"],
      ['server/database/database.ts', "import { commit } from '../commit.ts';"],
      ['shared/contract.ts', "import { commands } from './protocol.ts';"],
      [
        'client/ui/Button.svelte',
        '<script lang="ts">import Confirmation from \'./Confirmation.svelte\';</script>',
      ],
    ],
    keeps: [
      ['server/node/attempt.ts', "import type { every } from './timer.ts';"],
      ['server/node/attempt.ts', "export type { every } from './timer.ts';"],
      ['server/node/attempt.ts', "export const later = () => import('./timer.ts');"],
      ['server/node/timer.ts', "import { attempt } from './attempt.ts';"],
    ],
  },
  {
    rule: 'parley/dependencies',
    breaks: [
      ['server/app.ts', "import { chromium } from 'playwright-core';"],
      ['server/app.ts', "export const late = () => import('@svelte/any');"],
      ['shared/limits.ts', "import mocha from 'mocha/lib/runner.js';"],
    ],
    keeps: [
      ['server/app.ts', "import pLimit from 'p-limit';"],
      ['server/app.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
      ['server/app.ts', "import { join } from 'node:path';"],
      ['server/app.ts', "import type { Page } from 'playwright-core';"],
      ['test/support/browser.ts', "import { chromium } from 'playwright-core';"],
    ],
  },
  {
    rule: 'no-restricted-imports',
    breaks: [
      ['client/sync/rows.ts', "import { SvelteMap } from 'svelte/reactivity';"],
      ['client/sync/rows.ts', "import { mount } from 'svelte';"],
    ],
    keeps: [
      ['client/sync/rows.ts', "import type { Socket } from 'socket.io-client';"],
      ['client/ui/lazy.ts', "import { SvelteMap } from 'svelte/reactivity';"],
    ],
  },
  {
    rule: 'no-restricted-globals',
    breaks: [
      ['client/sync/rows.ts', 'export const hidden = () => document.hidden;'],
      ['client/sync/rows.ts', 'export const width = () => window.innerWidth;'],
    ],
    keeps: [['client/ui/keys.ts', 'export const hidden = () => document.hidden;']],
  },
  {
    rule: 'no-warning-comments',
    breaks: [
      ['server/app.ts', '// TODO: later'],
      ['client/sync/sync-client.ts', '/* see the FIXME */'],
      ['client/ui/Button.svelte', '<script lang="ts">// todo</script>'],
    ],
    keeps: [['server/app.ts', '// Done.']],
  },
  {
    rule: 'svelte/no-at-html-tags',
    breaks: [['client/messages/Body.svelte', '<p>{@html body}</p>']],
    keeps: [['client/messages/Body.svelte', '<p>{body}</p>']],
  },
  {
    rule: 'svelte/require-each-key',
    breaks: [['client/messages/List.svelte', '{#each rows as row}{row.body}{/each}']],
    keeps: [['client/messages/List.svelte', '{#each rows as row (row.id)}{row.body}{/each}']],
  },
  {
    rule: '@typescript-eslint/no-explicit-any',
    breaks: [['server/app.ts', 'export let it: any;']],
    keeps: [['server/app.ts', 'export let it: unknown;']],
  },
  {
    rule: '@typescript-eslint/ban-ts-comment',
    breaks: [['server/app.ts', '// @ts-ignore\nf();']],
    keeps: [['server/app.ts', 'f();']],
  },
];

describe('lint', () => {
  it('uses types: reports a promise that is not awaited', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-lint-'));
    try {
      await writeFile(join(folder, 'tsconfig.json'), '{"compilerOptions":{"strict":true}}');
      await writeFile(join(folder, 'waits.ts'), 'await Promise.resolve(1);\nexport {};\n');
      await writeFile(join(folder, 'drops.ts'), 'Promise.resolve(1);\nexport {};\n');
      const config = ['--config', join(root, '.oxlintrc.json'), '--format', 'json'];
      const options = { cwd: folder, encoding: 'utf8' } as const;
      const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), config, options);
      const { diagnostics } = JSON.parse(stdout) as Diagnostics;
      expect(diagnostics.map(({ code, filename }) => [code, filename])).to.deep.equal([
        ['typescript(no-floating-promises)', 'drops.ts'],
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('reports comments, test titles and commit subjects that are hard to read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-prose-'));
    const run = (program: string, ...args: string[]) =>
      spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    try {
      await mkdir(join(folder, 'test'));
      const comments = '// Returns the room.\n// What is told to whoever came.\n';
      const tests = "it('returns the room');\nit('tells of a room');\n";
      await writeFile(join(folder, 'test/a.test.ts'), comments + tests);
      const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
      for (const subject of ['What came', 'Return the room']) {
        run('git', 'init', '--quiet');
        run('git', ...author, 'commit', '--allow-empty', '--quiet', '--message', subject);
      }
      const { status, stderr } = run(process.execPath, join(root, 'scripts/lint/prose.js'));
      expect(status).to.equal(1);
      expect(stderr).to.include('“whoever” in “What is told to whoever came.”');
      expect(stderr).to.include('“tells” in “tells of a room”');
      expect(stderr).to.include('characters: What came');
      expect(stderr).not.to.match(/returns? the room/i);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  for (const { rule, breaks, keeps } of cases) {
    describe(rule, () => {
      for (const [path, code] of breaks) {
        it(`reports ${path}: ${code}`, async () => {
          expect(await broken(path, code)).to.include(rule);
        });
      }
      for (const [path, code] of keeps) {
        it(`accepts ${path}: ${code}`, async () => {
          expect(await broken(path, code)).to.be.empty;
        });
      }
    });
  }
});
