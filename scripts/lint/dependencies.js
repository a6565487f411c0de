/** Reports imports of packages that `dependencies` lacks, because a production image installs no others. */
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

const manifest = /** @type {{ dependencies: Record<string, string> }} */ (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
);

/** @type {import('eslint').Rule.RuleModule} */
export const dependenciesRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { filename, cwd } = context;
    const [root = ''] = relative(cwd, filename).split(sep);
    if (!['server', 'shared'].includes(root)) return {};

    /** @param {import('estree').ImportDeclaration | import('estree').ImportExpression | import('estree').ExportNamedDeclaration} node */
    const check = (node) => {
      const { importKind } = /** @type {{ importKind?: string }} */ (/** @type {unknown} */ (node));
      if (importKind === 'type' || node.source?.type !== 'Literal') return;
      const path = String(node.source.value);
      if (path.startsWith('.') || path.startsWith('node:')) return;
      const name = path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/');
      if (name in manifest.dependencies) return;
      context.report({ node, message: `${name} is missing in the dependencies of package.json.` });
    };

    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
    };
  },
};
