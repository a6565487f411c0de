/**
 * Who may import whom. Imports run client → shared ← server; a feature's store belongs to the feature, and
 * its model to its store. Tests and scripts may import anything, and nothing imports them.
 */
import { dirname, relative, resolve, sep } from 'node:path';

/** @typedef {{ from: string[], to: string[] }} Step two paths, in parts */

/** @type {{ message: string, crossed: (step: Step) => boolean }[]} */
const borders = [
  {
    message: 'client/ must not import server/: what both need belongs in shared/.',
    crossed: ({ from, to }) => from[0] === 'client' && to[0] === 'server',
  },
  {
    message: 'server/ must not import client/: what both need belongs in shared/.',
    crossed: ({ from, to }) => from[0] === 'server' && to[0] === 'client',
  },
  {
    message: 'shared/ imports neither server/ nor client/.',
    crossed: ({ from, to }) => from[0] === 'shared' && (to[0] === 'server' || to[0] === 'client'),
  },
  {
    message:
      'client/sync is headless, for bots and proofs too: it imports shared/ and itself alone.',
    crossed: ({ from, to }) => from[0] === 'client' && from[1] === 'sync' && !isHeadless(to),
  },
  {
    message: 'The product must not import tests or scripts.',
    crossed: ({ from, to }) => isProduct(from) && (to[0] === 'test' || to[0] === 'scripts'),
  },
  {
    message:
      'Only app.ts and open-node.ts import the list of features. They pass in what others need of it.',
    crossed: ({ from, to }) =>
      isFile(to, 'server/features.ts') &&
      !isFile(from, 'server/app.ts') &&
      !isFile(from, 'server/open-node.ts'),
  },
  {
    message:
      'A core folder of server/ imports no feature and no core folder above it (see `layers`). Pass features in.',
    crossed: ({ from, to }) => {
      const layer = layerOf(from);
      return layer !== undefined && isFolder(to) && (layerOf(to) ?? Infinity) > layer;
    },
  },
  {
    message:
      'The engine is below the root files of server/. It may import only config.ts and startup.ts of them.',
    crossed: ({ from, to }) =>
      isEngine(from) &&
      to[0] === 'server' &&
      to.length === 2 &&
      !['config.ts', 'startup.ts'].includes(to[1] ?? ''),
  },
  {
    message: 'A feature’s model is imported by its own store.ts alone.',
    crossed: ({ from, to }) =>
      isProduct(from) && isFeatureFile(to, 'model.ts') && !isFeatureFile(from, 'store.ts', to[1]),
  },
  {
    message: 'Another feature’s store is its own: go through its <feature>.ts or access.ts.',
    crossed: ({ from, to }) =>
      isProduct(from) && isFeatureFile(to, 'store.ts') && !(from.length > 2 && from[1] === to[1]),
  },
];

/** The core folders of server/, from the lowest layer to the highest. All other folders are features. */
export const layers = [
  ['cluster', 'database', 'node'],
  ['admission'],
  ['realtime'],
  ['http'],
  ['connection'],
  ['people'],
];

/** True for a file in the layers up to realtime. @param {string[]} parts */
const isEngine = (parts) => (layerOf(parts) ?? Infinity) <= 2;

/** @param {string[]} parts */
const isFolder = (parts) => parts[0] === 'server' && parts.length > 2;

/** Returns the index of a core folder’s layer in `layers`. @param {string[]} parts */
function layerOf(parts) {
  const layer = layers.findIndex((folders) => isFolder(parts) && folders.includes(parts[1] ?? ''));
  return layer < 0 ? undefined : layer;
}

/** @param {string[]} parts */
const isProduct = ([root]) => root === 'client' || root === 'server' || root === 'shared';

/** @param {string[]} parts */
const isHeadless = ([root, folder]) =>
  root === 'shared' || (root === 'client' && folder === 'sync');

/** @param {string[]} parts @param {string} path */
const isFile = (parts, path) => parts.join('/') === path;

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
