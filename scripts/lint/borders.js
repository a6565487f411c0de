/**
 * The allowed imports. They run client → shared ← server; a feature’s store belongs to the feature, and its model to
 * its store. Tests and scripts can import anything, and nothing imports them.
 */
import { dirname, relative, resolve, sep } from 'node:path';

/** @typedef {{ from: string[], to: string[] }} Step two paths, in parts */

/** @type {{ message: string, crossed: (step: Step) => boolean }[]} */
const borders = [
  {
    message: 'client/ must not import server/: move code that both need to shared/.',
    crossed: ({ from, to }) => from[0] === 'client' && to[0] === 'server',
  },
  {
    message: 'server/ must not import client/: move code that both need to shared/.',
    crossed: ({ from, to }) => from[0] === 'server' && to[0] === 'client',
  },
  {
    message: 'shared/ must not import server/ or client/.',
    crossed: ({ from, to }) => from[0] === 'shared' && (to[0] === 'server' || to[0] === 'client'),
  },
  {
    message:
      'client/sync must only import shared/ and its own files, because bots and tests run it without a browser.',
    crossed: ({ from, to }) => from[0] === 'client' && from[1] === 'sync' && !isHeadless(to),
  },
  {
    message: 'server/, client/ and shared/ must not import test/ or scripts/.',
    crossed: ({ from, to }) => isProduct(from) && (to[0] === 'test' || to[0] === 'scripts'),
  },
  {
    message:
      'A file in server/ must not import a higher layer (see `layers`): pass what it needs as a parameter.',
    crossed: ({ from, to }) => (layerOf(to) ?? -1) > (layerOf(from) ?? Infinity),
  },
  {
    message: 'Only the store.ts of a feature can import its model.ts.',
    crossed: ({ from, to }) =>
      isProduct(from) && isFeatureFile(to, 'model.ts') && !isFeatureFile(from, 'store.ts', to[1]),
  },
  {
    message: 'Don’t import the store.ts of another feature: use its <feature>.ts or access.ts.',
    crossed: ({ from, to }) =>
      isProduct(from) && isFeatureFile(to, 'store.ts') && !(from.length > 2 && from[1] === to[1]),
  },
];

/** Stands for the folder of any feature. */
const features = 'a feature';

/** The folders and root files of server/, from the lowest layer to the highest. */
export const layers = [
  ['config.ts', 'startup.ts'],
  ['cluster', 'database', 'node'],
  ['admission'],
  ['realtime'],
  ['caller.ts', 'connection-features.ts'],
  ['command.ts'],
  ['http'],
  ['connection'],
  ['people'],
  ['room-drafts.ts'],
  ['commit.ts'],
  ['endings.ts'],
  [features],
  ['features.ts'],
  ['open-node.ts'],
  ['app.ts', 'command-line.ts'],
  ['main.ts', 'admin.ts'],
];

/** Index in `layers`; undefined outside server/ and for root files that are not listed. @param {string[]} parts */
function layerOf([root, name = '', ...rest]) {
  if (root !== 'server') return undefined;
  const found = layers.findIndex((names) => names.includes(name));
  if (found >= 0) return found;
  return rest.length > 0 ? layers.findIndex((names) => names.includes(features)) : undefined;
}

/** @param {string[]} parts */
const isProduct = ([root]) => root === 'client' || root === 'server' || root === 'shared';

/** @param {string[]} parts */
const isHeadless = ([root, folder]) =>
  root === 'shared' || (root === 'client' && folder === 'sync');

/** @param {string[]} parts @param {string} name @param {string} [feature] */
const isFeatureFile = (parts, name, feature = parts[1]) =>
  parts.length === 3 && parts[0] === 'server' && parts[1] === feature && parts[2] === name;

/** @type {import('eslint').Rule.RuleModule} */
export const bordersRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    /** @param {string} path */
    const parts = (path) => relative(context.cwd, path).split(sep);

    /** @param {import('estree').Node | null | undefined} source @param {import('estree').Node} node */
    const check = (source, node) => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      if (!source.value.startsWith('.')) return;
      const target = resolve(dirname(context.filename), source.value);
      const step = { from: parts(context.filename), to: parts(target) };
      for (const { message, crossed } of borders) {
        if (crossed(step)) context.report({ node, message });
      }
    };

    return {
      ImportDeclaration: (node) => check(node.source, node),
      ExportNamedDeclaration: (node) => check(node.source, node),
      ExportAllDeclaration: (node) => check(node.source, node),
      ImportExpression: (node) => check(node.source, node),
    };
  },
};
