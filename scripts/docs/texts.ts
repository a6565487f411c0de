import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { phrasesIn } from './phrases.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const parts = [
  { title: 'What the browser shows', under: /^client\/(?!bot\/)/ },
  { title: 'What a bot’s author is told', under: /^client\/bot\// },
  { title: 'The contract: what is refused, and what each command does', under: /^shared\// },
  { title: 'What the server answers, and prints', under: /^server\/(?!database\/migrations\/)/ },
  { title: 'What npm’s commands print', under: /^scripts\/(?:ensure|tools|demo|cluster)\b/ },
];

export interface Texts {
  path: string;
  phrases: readonly string[];
}

export function textsUnder(under: RegExp): Texts[] {
  return sources
    .filter((path) => under.test(path))
    .map((path) => ({ path, phrases: phrasesIn(path, readFileSync(root + path, 'utf8')) }))
    .filter(({ phrases }) => phrases.length > 0);
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
