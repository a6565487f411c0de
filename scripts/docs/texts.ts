import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { phrasesIn } from './phrases.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const parts = [
  { title: 'The user interface', under: /^client\/(?!bot\/)/ },
  { title: 'Texts of the bot library', under: /^client\/bot\// },
  { title: 'The contract: validation errors and descriptions of commands', under: /^shared\// },
  { title: 'Answers and output of the server', under: /^server\/(?!database\/migrations\/)/ },
  { title: 'Output of npm’s commands', under: /^scripts\/(?:ensure|tools|demo|cluster)\b/ },
];

export interface Texts {
  path: string;
  phrases: readonly string[];
}

export function textsUnder(under: RegExp): Texts[] {
  return sources
    .filter((path) => under.test(path))
    .map((path) => ({ path, phrases: phrasesOf(path) }))
    .filter(({ phrases }) => phrases.length > 0);
}

/** The phrases of each file that was parsed. `npm test` reads them twice. */
const parsed = new Map<string, readonly string[]>();

function phrasesOf(path: string): readonly string[] {
  const phrases = parsed.get(path) ?? phrasesIn(path, readFileSync(root + path, 'utf8'));
  parsed.set(path, phrases);
  return phrases;
}

const sources = ['client', 'shared', 'server', 'scripts']
  .flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  )
  .filter(
    (path) => /\.(?:svelte|ts|js)$/.test(path) && !/\/(?:dist|node_modules|\..*)\//.test(path),
  )
  .sort();

export function freshTexts(): string {
  const chapters = parts.map(({ title, under }) => `## ${title}\n\n${chapter(textsUnder(under))}`);
  return `${head}\n\n${chapters.join('\n\n')}\n`;
}

const chapter = (texts: readonly Texts[]): string =>
  texts
    .map(
      ({ path, phrases }) => `### ${path}\n\n${phrases.map((one) => `- ${plain(one)}`).join('\n')}`,
    )
    .join('\n\n');

const plain = (text: string) => text.replaceAll(/[<*\\]/g, (sign) => `\\${sign}`);

const head = `<!-- Written by npm run docs -->

# Every text

This list contains every text for users, file by file, in the order of the source. Placeholders are in braces;
alternatives are separated by a bar.`;
