/**
 * Counts words and openings of sentences that make comments and test titles hard to read, for 1,000 words, and compares
 * the counts with the budgets below. A count must not exceed its budget. When it falls, lower the budget. Also checks
 * the subjects of the latest commits.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const budgets = { comments: 0.3, 'test titles': 0 };
/** In characters. */
const longestSubject = 60;
const checkedCommits = 20;

const words =
  /\b(whoever|whomever|whom|somebody|anew|of late|no more|any longer|by turns|whatever|what is|who is|hears?|heard|tells?|told)\b/gi;
const openings = /(?:^|[.:] )(?:who|what|whom|whoever|of|that)\b/gi;
const comment = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/[^\n]*|<!--[\s\S]*?-->/g;
const title = /\b(?:describe|it)(?:\.\w+)?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/** @param {string[]} args */
const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

const files = git(
  'ls-files',
  '-co',
  '--exclude-standard',
  'server',
  'client',
  'shared',
  'scripts',
  'test',
).filter((path) => /\.(ts|js|svelte)$/.test(path) && existsSync(path));

/** @typedef {{ path: string, text: string }} Passage */

/** @param {Passage[]} passages */
function rate(passages) {
  const faults = passages.flatMap(({ path, text }) =>
    [...(text.match(words) ?? []), ...(text.match(openings) ?? [])].map(
      (fault) => `${path}: “${fault.trim()}” in “${text.trim().slice(0, 80)}”`,
    ),
  );
  const count = passages.reduce(
    (sum, { text }) => sum + text.split(/\s+/).filter(Boolean).length,
    0,
  );
  return { faults, perThousand: Math.ceil((faults.length / count) * 10_000) / 10 };
}

/** @type {Record<keyof typeof budgets, Passage[]>} */
const passages = { comments: [], 'test titles': [] };
for (const path of files) {
  const source = readFileSync(path, 'utf8');
  for (const [text] of source.matchAll(comment))
    if (!/eslint-|prettier-|oxlint-/.test(text))
      passages.comments.push({
        path,
        text: text
          .replace(/[*/<!>-]+/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      });
  if (!/\.(test|proof)\.ts$/.test(path)) continue;
  for (const [, , text = ''] of source.matchAll(title))
    passages['test titles'].push({ path, text });
}

for (const kind of /** @type {const} */ (['comments', 'test titles'])) {
  const { faults, perThousand } = rate(passages[kind]);
  if (perThousand === budgets[kind]) continue;
  process.exitCode = 1;
  if (perThousand < budgets[kind])
    console.error(
      `${kind}: ${perThousand} per 1,000 words. Lower the budget from ${budgets[kind]}.`,
    );
  else
    console.error(
      `${kind}: ${perThousand} per 1,000 words, over the budget of ${budgets[kind]}:\n  ${faults.join('\n  ')}`,
    );
}

for (const subject of git('log', `-${checkedCommits}`, '--no-merges', '--format=%s'))
  if (
    subject.length > longestSubject ||
    /^(?:a|an|what|who|whoever|whom|of|that|those)\b/i.test(subject)
  ) {
    process.exitCode = 1;
    console.error(
      `Write this commit subject in the imperative, with at most ${longestSubject} characters: ${subject}`,
    );
  }
