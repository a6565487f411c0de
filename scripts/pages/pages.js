/** Builds the pages that Parley serves under /docs, from the documents of the repository. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { Marked } from 'marked';

const out = 'dist/docs';

/**
 * The address of each document. Other targets of their links must be in `files`.
 * @type {Record<string, { address: string, name: string }>}
 */
const pages = {
  'docs/reference/README.md': { address: '/docs', name: 'Reference' },
  'docs/wire.md': { address: '/docs/wire', name: 'The wire' },
  'docs/bots.md': { address: '/docs/bots', name: 'Bots' },
};

/** @type {Record<string, string>} */
const files = {
  'docs/examples/ping.js': '/docs/examples/ping.js',
  'docs/examples/moderator.js': '/docs/examples/moderator.js',
  'docs/examples/feed.js': '/docs/examples/feed.js',
  'docs/examples/chart.js': '/docs/examples/chart.js',
  'docs/examples/raw.py': '/docs/examples/raw.py',
  'docs/examples/raw.sh': '/docs/examples/raw.sh',
};

rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/examples`, { recursive: true });
for (const [path, address] of Object.entries(files)) cpSync(path, `dist${address}`);
const styles = ['client/tokens.css', 'scripts/pages/pages.css'].map((path) => readFileSync(path));
writeFileSync(`${out}/docs.css`, Buffer.concat(styles));
for (const [path, { address, name }] of Object.entries(pages))
  writeFileSync(`dist${address === '/docs' ? '/docs/index' : address}.html`, page(path, name));

/** @param {string} path @param {string} name */
function page(path, name) {
  /** @type {{ depth: number, text: string, slug: string }[]} */
  const heads = [];
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        const text = this.parser.parseInline(tokens);
        const slug = slugOf(text);
        if (depth === 2 || depth === 3) heads.push({ depth, text, slug });
        return `<h${depth} id="${slug}">${text}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${leadsTo(href, path)}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const text = marked.parse(readFileSync(path, 'utf8'), { async: false });
  return frame(path, name, text, heads);
}

/** Returns the anchor of a heading, as repository hosts make it. @param {string} html */
function slugOf(html) {
  return html
    .replaceAll(/<[^>]+>|&\w+;|&#\d+;/g, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-');
}

/** @param {string} href @param {string} from */
function leadsTo(href, from) {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(dirname(from), path);
  const address = files[target] ?? pages[target]?.address;
  if (address === undefined) throw new Error(`${from} links to ${href}, which is not published`);
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** @param {string} path @param {string} name @param {string} text @param {{ depth: number, text: string, slug: string }[]} heads */
function frame(path, name, text, heads) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${name} · Parley</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/docs/docs.css" />
    <script src="/theme.js"></script>
  </head>
  <body>
    <a class="skip" href="#text">Skip to the text</a>
    <header>
      <nav aria-label="Documents">
        <a href="/">Parley</a>
        ${Object.entries(pages)
          .map(
            ([other, { address, name }]) =>
              `<a href="${address}"${other === path ? ' aria-current="page"' : ''}>${name}</a>`,
          )
          .join('\n        ')}
        ${['openapi', 'asyncapi', 'schema']
          .map((file) => `<a href="/docs/${file}.json">${file}.json</a>`)
          .join('\n        ')}
      </nav>
    </header>
    <nav class="contents" aria-label="On this page">
      <details>
        <summary>On this page</summary>
        <ul>
          ${heads
            .map(
              ({ depth, text, slug }) =>
                `<li class="at-${depth}"><a href="#${slug}">${text}</a></li>`,
            )
            .join('\n          ')}
        </ul>
      </details>
    </nav>
    <main id="text" tabindex="-1">
${text}
    </main>
  </body>
</html>
`;
}
