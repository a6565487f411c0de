import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './client/svelte.config.js';
import { parley } from './scripts/lint/parley.js';

// Type-aware rules are in .oxlintrc.json, because oxlint checks them in a tenth of the time.
export default defineConfig(
  globalIgnores(['dist/', 'data/', '**/.svelte-check/', 'client/public/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ts.configs.strict,
  ts.configs.stylistic,
  svelte.configs.recommended,
  {
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme'], location: 'anywhere' }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      'svelte/no-at-html-tags': 'error',
      'svelte/require-each-key': 'error',
      // `let { a, b = $bindable() } = $props()` is how Svelte writes it.
      'prefer-const': 'off',
    },
  },
  {
    files: ['client/**'],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ['**/*.js', 'server/**', 'scripts/**', 'test/**', 'client/bot/**'],
    languageOptions: { globals: globals.node },
  },
  {
    files: ['test/**'],
    languageOptions: { globals: globals.mocha },
    rules: {
      // `expect(it).to.be.true` is a statement, and a test may say that something is there.
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    plugins: { parley },
    rules: {
      'parley/borders': 'error',
      'parley/no-barrel': 'error',
      'parley/no-cycle': 'error',
      'parley/dependencies': 'error',
      // An import of types only must leave no import at run time.
      '@typescript-eslint/no-import-type-side-effects': 'error',
    },
  },
  {
    // The types exclude the DOM: client/bot/tsconfig.json, which has no DOM library, compiles these files too.
    files: ['client/sync/**'],
    rules: {
      'no-restricted-imports': ['error', { patterns: ['svelte', 'svelte/*'] }],
      'no-restricted-globals': ['error', 'document', 'window', 'navigator', 'localStorage'],
    },
  },
  {
    files: ['server/**', 'shared/**'],
    ignores: [
      'server/node/attempt.ts',
      'server/http/gateway.ts',
      'server/app.ts',
      'server/commit.ts',
      'server/config.ts',
      'server/main.ts',
      'server/command-line.ts',
      'server/database/**',
      'server/cluster/**',
      // TextDecoder reports an unknown encoding only by throwing.
      'server/previews/fetch.ts',
      // Intl reports an unknown time zone only by throwing.
      'shared/local-time.ts',
    ],
    rules: { 'parley/catch-at-the-door': 'error' },
  },
  {
    files: ['server/**'],
    ignores: ['server/realtime/sockets.ts', 'server/cluster/redis.ts'],
    rules: { 'parley/one-way-out': 'error' },
  },
  {
    files: ['server/**'],
    rules: { 'parley/handled': 'error' },
  },
);
