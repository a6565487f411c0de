/** Finds the browser tests that prove each statement, by the numbers in their titles. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { statements, type Statement } from './statements.ts';

const tests = fileURLToPath(new URL('../../test/', import.meta.url));

export interface Proof {
  file: string;
  title: string;
}

/** By number, including numbers that are not in `statements`. */
export function proofs(): Map<string, Proof[]> {
  const found = new Map<string, Proof[]>();
  const files = readdirSync(tests, { encoding: 'utf8', recursive: true }).sort();
  for (const file of files.filter((name) => name.endsWith('.test.ts') || name.includes('screens/')))
    for (const literal of readFileSync(join(tests, file), 'utf8').matchAll(titles))
      for (const [number] of literal[0].matchAll(numbers))
        found.set(number, [...(found.get(number) ?? []), { file, title: plain(literal[0]) }]);
  return found;
}

const numbers = /\b(?:UX|A11Y)-\d\d\b/g;
const titles = /(['"`])(?:UX|A11Y)-\d\d\b(?:(?!\1).)*\1/g;

const plain = (literal: string) =>
  literal
    .slice(1, -1)
    .replaceAll(numbers, '')
    .replace(/^[\s,:]+/, '')
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…');

export const unproven = (): Statement[] => {
  const found = proofs();
  return (Object.keys(statements) as Statement[]).filter((number) => !found.has(number));
};

export function freshExperience(): string {
  const found = proofs();
  const rows = Object.entries(statements).map(([number, statement]) => {
    const by = (found.get(number) ?? []).map(
      ({ file, title }) => `${title} ([${file.split('/').at(-1)}](../test/${file}))`,
    );
    return `| ${number} | ${statement} | ${by.join('<br>').replaceAll('|', '\\|') || '**not yet**'} |`;
  });
  return `${preface}\n\n| | What holds | Proven by |\n|---|---|---|\n${rows.join('\n')}\n`;
}

const preface = `<!-- Written by npm run docs -->

# Promises of the user interface, and their tests

Each statement is proven by the tests with its number in their titles, nearly all in a real browser, with real sockets, a
real database and a real server. \`npm test\` runs these tests and reports at its end how many statements hold. A change that
breaks one of them is not merged. \`npx mocha test/browser/*.test.ts --grep UX-04\` runs the tests of one statement.`;
