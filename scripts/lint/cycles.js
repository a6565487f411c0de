/**
 * Forbids import cycles at run time: parts are opened with what they need, so each file runs after those that it needs.
 * Type imports can be circular, because they are gone by then; so can lazy imports, because they run later.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';

const statement = /^\s*(?:import|export)\s+(?!type\s)(?:[^;'"]*?\sfrom\s+)?'(\.[^']+)'/gm;

/** Run-time imports of each file. Read once: an editor reads them again when its ESLint server restarts. */
/** @type {Map<string, string[]>} */
const known = new Map();

/** @param {string} file */
function importsOf(file) {
  const before = known.get(file);
  if (before !== undefined) return before;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const imports = [...text.matchAll(statement)].map(([, path = '']) =>
    resolve(dirname(file), path),
  );
  known.set(file, imports);
  return imports;
}

/** Returns the shortest chain of imports. @param {string} from @param {string} to @returns {string[] | undefined} */
function wayBetween(from, to) {
  const ways = [[from]];
  const seen = new Set([from]);
  for (const way of ways) {
    const at = way.at(-1) ?? from;
    if (at === to) return way;
    for (const next of importsOf(at)) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

/** @type {import('eslint').Rule.RuleModule} */
export const cyclesRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { filename, cwd } = context;
    const [root = ''] = relative(cwd, filename).split(sep);
    if (!['server', 'client', 'shared'].includes(root)) return {};

    /** @param {import('estree').ImportDeclaration | import('estree').ExportNamedDeclaration} node */
    const check = (node) => {
      const { importKind, exportKind } =
        /** @type {{ importKind?: string, exportKind?: string }} */ (/** @type {unknown} */ (node));
      const path = node.source?.value;
      if (typeof path !== 'string' || !path.startsWith('.')) return;
      if (
        importKind === 'type' ||
        (node.type === 'ExportNamedDeclaration' && exportKind === 'type')
      )
        return;
      const way = wayBetween(resolve(dirname(filename), path), filename);
      if (way === undefined) return;
      const names = [filename, ...way].map((file) => relative(cwd, file)).join(' → ');
      context.report({ node, message: `Import cycle: ${names}.` });
    };

    return { ImportDeclaration: check, ExportNamedDeclaration: check };
  },
};
