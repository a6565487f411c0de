/**
 * Parses the CommonMark examples as messages; those in `deviations` are parsed differently on purpose. Relative
 * addresses become absolute first, because messages support no others.
 */
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import type { Inline, MarkdownBlock } from '../../shared/markdown/tree.ts';

interface Example {
  number: number;
  section: string;
  markdown: string;
  html: string;
}
const { tests } = createRequire(import.meta.url)('commonmark-spec') as { tests: Example[] };

/** The numbers of the deviating examples, by reason. */
const deviations: Record<string, number[]> = {
  'indented lines are text, because people indent without meaning code': [
    1, 2, 3, 5, 6, 7, 8, 18, 48, 49, 69, 70, 85, 87, 100, 107, 110, 111, 112, 113, 114, 115, 116,
    117, 118, 134, 225, 231, 236, 238, 252, 253, 254, 257, 264, 270, 271, 272, 273, 274, 286, 287,
    288, 289, 290, 309, 313,
  ],
  'link definitions and references to them are text, so that nothing typed disappears': [
    14, 23, 192, 193, 194, 195, 196, 198, 200, 201, 202, 203, 204, 205, 206, 207, 208, 210, 211,
    214, 215, 216, 217, 218, 317, 526, 527, 528, 529, 530, 531, 532, 533, 534, 535, 536, 537, 538,
    539, 540, 541, 542, 543, 544, 545, 549, 550, 552, 553, 554, 555, 556, 557, 558, 559, 560, 561,
    562, 563, 564, 565, 566, 567, 568, 569, 570, 571,
  ],
  'HTML is text': [
    21, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165,
    166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184,
    185, 186, 187, 188, 189, 190, 191, 308, 344, 475, 476, 477, 491, 494, 524, 603, 613, 614, 615,
    616, 617, 623, 625, 626, 627, 628, 629, 630, 631, 642, 643,
  ],
  'the language of a code block is one word of letters and digits': [24, 144],
  'entities are text, because people type `&amp;` to show it': [
    25, 26, 27, 31, 32, 33, 34, 36, 37, 38, 39, 40, 41,
  ],
  'a line of `-` or `=` below a text makes no heading: it is a rule, or text': [
    59, 80, 81, 82, 83, 84, 86, 89, 90, 91, 93, 95, 96, 102, 103, 141, 300,
  ],
  'a marker without text after it is text': [79, 278, 279, 280, 281, 282, 283, 284, 315],
  'spaces and line breaks are kept as typed, also in code': [
    16, 121, 222, 223, 226, 335, 336, 337, 633, 634, 635, 636, 637, 638, 639, 640, 641, 649,
  ],
  'a closing fence may be indented': [137],
  'a quote or a list item ends with the last line that has its marker or its indentation': [
    232, 233, 247, 250, 251, 292, 293,
  ],
  'a line with two columns of indentation belongs to the list item': [276, 297, 311, 312],
  'a different bullet character continues the list': [301],
  'a list below a text may start with any number, because line breaks are kept': [304],
  'http and https addresses are links everywhere; other addresses are text': [
    484, 485, 486, 487, 504, 513, 517, 518, 519, 596, 597, 598, 599, 601, 602, 604, 605, 608, 611,
  ],
  'the address of a link has balanced parentheses and no spaces, on the line of the link text': [
    488, 489, 490, 492, 493, 497, 499, 503, 507, 508, 510,
  ],
  'images are text, because pictures are sent as attachments': [
    520, 572, 573, 574, 575, 576, 577, 578, 579, 580, 581, 582, 583, 584, 585, 586, 587, 588, 589,
    591, 592, 593,
  ],
  'tildes fence no code, because people use them as decoration': [19, 120, 123, 125, 139, 143, 146],
  'a backslash in an address becomes a slash, as in browsers': [502],
};

describe('the CommonMark examples', () => {
  const deviating = new Set(Object.values(deviations).flat());
  for (const section of new Set(tests.map((example) => example.section)))
    it(`are parsed as specified, except for deviations: ${section}`, () => {
      const examples = tests.filter((example) => example.section === section);
      const read = examples.filter((example) => !isAsExpected(example));
      const expected = examples.filter(({ number }) => deviating.has(number));
      expect(read).to.deep.equal(expected);
    });
});

const isAsExpected = ({ markdown, html }: Example) =>
  plain(readMarkdown(absolute(markdown).trimEnd()).map(blockHtml).join('')) ===
  plain(absoluteHtml(html));

function blockHtml(node: MarkdownBlock): string {
  switch (node.type) {
    case 'paragraph':
      return `<p>${inlinesHtml(node.children)}</p>`;
    case 'heading':
      return `<h${node.level}>${inlinesHtml(node.children)}</h${node.level}>`;
    case 'quote':
      return `<blockquote>${node.children.map(blockHtml).join('')}</blockquote>`;
    case 'rule':
      return '<hr>';
    case 'code': {
      const language = node.language && ` class="language-${node.language}"`;
      return `<pre><code${language}>${escaped(node.text && `${node.text}\n`)}</code></pre>`;
    }
    case 'list':
      return listHtml(node);
    case 'table':
      return '<table>';
  }
}

function listHtml({ sign, items }: MarkdownBlock & { type: 'list' }): string {
  const rows = items.map(({ blocks }) => `<li>${blocks.map(blockHtml).join('')}</li>`).join('');
  if (sign === 'bullet') return `<ul>${rows}</ul>`;
  const start = items[0]?.number ?? 1;
  return `<ol${start === 1 ? '' : ` start="${start}"`}>${rows}</ol>`;
}

const inlinesHtml = (nodes: readonly Inline[]): string => nodes.map(inlineHtml).join('');

function inlineHtml(node: Inline): string {
  if (node.type === 'code') return `<code>${escaped(node.text)}</code>`;
  if ('text' in node) return escaped(node.text);
  if (node.type === 'link')
    return `<a href="${escaped(node.href)}">${inlinesHtml(node.children)}</a>`;
  return 'children' in node ? `<${node.type}>${inlinesHtml(node.children)}</${node.type}>` : '';
}

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Makes relative addresses absolute, and replaces the arrows that stand for tabs in the examples. */
const absolute = (text: string, before = /(\]\(<?)(?=[^\s<>)"])(?!https?:)/g) =>
  text.replaceAll('→', '\t').replaceAll(before, '$1https://u.example/');

const absoluteHtml = (html: string) => absolute(html, /(\]\(|href=")(?=[^\s"])(?!https?:)/g);

const blockTag = '</?(?:p|ul|ol|li|blockquote|h\\d|pre|hr)\\b[^>]*>';

/** Removes irrelevant differences: space around blocks, link titles, escapes in addresses, paragraphs in lists. */
function plain(html: string): string {
  let depth = 0;
  return html
    .replaceAll(/ ?\/>/g, '>')
    .replaceAll('<br>', '')
    .replaceAll(/ title="[^"]*"/g, '')
    .replaceAll(/href="([^"]*)"/g, (_, href: string) => `href="${wholeAddress(href)}"`)
    .replaceAll(/<(\/?)(li|p)>/g, (tag, closing: string, name: string) => {
      if (name === 'li') depth += closing ? -1 : 1;
      return name === 'li' || depth === 0 ? tag : closing && '¶';
    })
    .replaceAll(new RegExp(`¶\\s*(?=${blockTag})`, 'g'), '')
    .replaceAll(new RegExp(`\\s*(${blockTag})\\s*`, 'g'), '$1')
    .replaceAll(/¶\s*/g, '¶')
    .trim();
}

const wholeAddress = (href: string) =>
  URL.canParse(href) ? encodeURI(decodeURI(new URL(href.replaceAll('&amp;', '&')).href)) : href;
