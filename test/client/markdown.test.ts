import { expect } from 'chai';
import { assert, constantFrom, array, property, string } from 'fast-check';
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import { wordsOf, type MarkdownBlock, type Inline, type Item } from '../../shared/markdown/tree.ts';
import { limits } from '../../shared/limits.ts';
import { atLength } from '../support/length.ts';

/** The tree in one line, so that a case shows the typed text and its meaning. */
const outline = (text: string) => readMarkdown(text).map(blockOutline).join(' ');

function blockOutline(block: MarkdownBlock): string {
  switch (block.type) {
    case 'paragraph':
      return `p(${inlinesOutline(block.children)})`;
    case 'heading':
      return `h${block.level}(${inlinesOutline(block.children)})`;
    case 'quote':
      return `quote(${block.children.map(blockOutline).join(' ')})`;
    case 'list':
      return `${block.sign === 'bullet' ? '•' : block.sign}[${block.items.map(itemOutline).join(' | ')}]`;
    case 'rule':
      return 'rule';
    case 'table':
      return `table(${block.columns.map((one) => one.charAt(0)).join('')}: ${[
        block.head,
        ...block.rows,
      ]
        .map((cells) => cells.map(inlinesOutline).join('|'))
        .join(' / ')})`;
    case 'code':
      return `code:${block.info ?? block.language}(${block.text})`;
  }
}

/** Two for each element of the budget, plus the excess of one row or one nested rest. */
const maxNodes = 1_100;

function countNodes(nodes: readonly (MarkdownBlock | Inline)[]): number {
  let count = 0;
  for (const node of nodes) {
    count += 1;
    if ('children' in node) count += countNodes(node.children);
    if (node.type === 'list') for (const { blocks } of node.items) count += 1 + countNodes(blocks);
    if (node.type === 'table')
      for (const cells of [node.head, ...node.rows])
        // The row, its cells, and one for missing cells.
        count += 2 + cells.length + countNodes(cells.flat());
  }
  return count;
}

const itemOutline = ({ blocks, done, number }: Item) =>
  `${number === undefined ? '' : `${number} `}${done === undefined ? '' : done ? '☑' : '☐'}${blocks.map(blockOutline).join(' ')}`;

const inlinesOutline = (nodes: Inline[]): string => nodes.map(inlineOutline).join('');

function inlineOutline(node: Inline): string {
  if (node.type === 'text' || node.type === 'call') return node.text;
  if (node.type === 'code') return `{${node.text}}`;
  if (node.type === 'mention') return `@${node.userId.slice(0, 8)}`;
  if (node.type === 'channel') return `#${node.channelId.slice(0, 8)}`;
  if (node.type !== 'link') return `${node.type}(${inlinesOutline(node.children)})`;
  const words = inlinesOutline(node.children);
  const shown = words === node.href ? '' : `${words}→`;
  return `<${shown}${node.href}${node.host ? ` at ${node.host}` : ''}>`;
}

const ids = { person: String, channel: String };

const ann = '<@019a1b2c-0000-7000-8000-0000000000AB>';

const cases: Record<string, Record<string, string>> = {
  tables: {
    '| a | b |\n|---|--:|\n| **1** | 2 |\n| 3 |\nend': 'table(se: a|b / strong(1)|2 / 3) p(end)',
    'Look:\na | b\n:-:|---\n1 | 2 | 3': 'p(Look:) table(cs: a|b / 1|2)',
    '| a \\| b | `c` |\n|-|-|': 'table(ss: a | b|{c})',
    '| a |\n| b |': 'p(| a |\n| b |)',
    'a | b\n---': 'p(a | b) rule',
    '| a | b |\n|---|': 'p(| a | b |\n|---|)',
    [`${'|a'.repeat(21)}|\n${'|-'.repeat(21)}|`]: `p(${'|a'.repeat(21)}|\n${'|-'.repeat(21)}|)`,
    '> | a | b |\n> |---|---|\n> | 1 | 2 |': 'quote(table(ss: a|b / 1|2))',
  },
  tasks: {
    '- [ ] a\n- [x] b\n- [X] c\n- d': '•[☐p(a) | ☑p(b) | ☑p(c) | p(d)]',
    '1. [ ] a\n   - [x] b': '.[1 ☐p(a) •[☑p(b)]]',
    '- [] a\n- [y] b\n- [ ]': '•[p([] a) | p([y] b) | p([ ])]',
    '[ ] a': 'p([ ] a)',
  },
  mentions: {
    [`Hi ${ann}, **${ann}**`]: 'p(Hi @019a1b2c, strong(@019a1b2c))',
    [`\`${ann}\` \\${ann}`]: `p({${ann}} ${ann})`,
    [`> ${ann}`]: 'quote(p(@019a1b2c))',
    '<@nobody> <@> @ann': 'p(<@nobody> <@> @ann)',
  },
  channels: {
    [`In ${ann.replace('@', '#')}`]: 'p(In #019a1b2c)',
    '<#nowhere> <#> #plans': 'p(<#nowhere> <#> #plans)',
  },
  emphasis: {
    '*a* _b_ **c** __d__ ~~e~~': 'p(em(a) em(b) strong(c) strong(d) del(e))',
    '***both*** and **a *b* c**': 'p(em(strong(both)) and strong(a em(b) c))',
    'a snake_case_name, 2 * 3 * 4, ~5 and ~6': 'p(a snake_case_name, 2 * 3 * 4, ~5 and ~6)',
    '**open, *never closed': 'p(**open, *never closed)',
    '**「強調」**です': 'p(strong(「強調」)です)',
    '\\*not\\* C:\\dir ¯\\_(ツ)_/¯': 'p(*not* C:\\dir ¯\\_(ツ)_/¯)',
    'two\nlines and **over\nboth**': 'p(two\nlines and strong(over\nboth))',
  },
  code: {
    'a `*b*` ``c`d``': 'p(a {*b*} {c`d})',
    'a ` b': 'p(a ` b)',
    '```js\n**a**\n\n  > b\n```\nend': 'code:js(**a**\n\n  > b) p(end)',
    'see\n```\nnever closed': 'p(see) code:(never closed)',
    '    indented': 'p(    indented)',
    '```js title="a.js"\na\n```\nend': 'code:js title="a.js"(a) p(end)',
    '```{.python}\na\n```': 'code:{.python}(a)',
    '```js:file.js\na\n```': 'code:js:file.js(a)',
    '```diff --git a b\n-a\n```': 'code:diff --git a b(-a)',
    '````md\n```\na\n```\n````\nend': 'code:md(```\na\n```) p(end)',
    '```\na\n`````\nend': 'code:(a) p(end)',
    '```\na\n  b```\nend': 'code:(a\n  b) p(end)',
    '```a``` b': 'p({a} b)',
    '  ```\n  a\n    b\n  ```': 'code:(a\n  b)',
  },
  links: {
    'See https://a.example/x.': 'p(See <https://a.example/x>.)',
    '(https://a.example/x_(y)), "http://b.example"!':
      'p((<https://a.example/x_(y)>), "<http://b.example>"!)',
    '**https://a.example/x_y_z**': 'p(strong(<https://a.example/x_y_z>))',
    '<https://a.example>': 'p(<https://a.example>)',
    'javascript:alert(1) http:// ftp://a.example xhttp://a.example':
      'p(javascript:alert(1) http:// ftp://a.example xhttp://a.example)',
    '[my **bank**](https://evil.example/bank)':
      'p(<my strong(bank)→https://evil.example/bank at evil.example>)',
    '[a.example](https://a.example/x)': 'p(<a.example→https://a.example/x>)',
    '[bank.example/?a.example](https://a.example)':
      'p(<bank.example/?a.example→https://a.example at a.example>)',
    '[a](javascript:alert(1)) [b](//c.example)': 'p([a](javascript:alert(1)) [b](//c.example))',
    '[D](https://a.example/D_(d)) end': 'p(<D→https://a.example/D_(d) at a.example> end)',
    '([D](https://a.example/D))': 'p((<D→https://a.example/D at a.example>))',
    '[D](https://a.example/\\(d)': 'p(<D→https://a.example/(d at a.example>)',
    '[D](<https://a.example/d>)': 'p(<D→https://a.example/d at a.example>)',
    '[D](https://a.example "A title")': 'p(<D→https://a.example at a.example>)',
    "[D](https://a.example 'x' )": 'p(<D→https://a.example at a.example>)',
    '[D](https://a.example no title)': 'p([D](<https://a.example> no title))',
    '[a [b]](https://a.example)': 'p(<a [b]→https://a.example at a.example>)',
    '[a [b](https://b.example)](https://a.example)':
      'p([a <b→https://b.example at b.example>](<https://a.example>))',
    '<https://ja.example/wiki/2024年> <https://a.example':
      'p(<https://ja.example/wiki/2024年> <<https://a.example>)',
    '[good.example](https://good.example。@evil.example/)':
      'p(<good.example→https://good.example。@evil.example/ at evil.example>)',
    '[good.example](https://good.example。evil.example/)':
      'p(<good.example→https://good.example。evil.example/ at good.example.evil.example>)',
    '[good.example](https://good.example"@evil.example/)':
      'p(<good.example→https://good.example"@evil.example/ at evil.example>)',
    '[good.example](https://good.example\u202e@evil.example/)':
      'p(<good.example→https://good.example\u202e@evil.example/ at evil.example>)',
    '[a](https://a.example/(b': 'p([a](<https://a.example/(b>)',
  },
  'addresses beside letters that need no spaces': {
    '詳細はhttps://example.com/docsをご覧ください。':
      'p(詳細は<https://example.com/docs>をご覧ください。)',
    'サーバーhttps://example.comは': 'p(サーバー<https://example.com>は)',
    'https://example.com/issues/477，涵盖了': 'p(<https://example.com/issues/477>，涵盖了)',
    '【https://example.com】を': 'p(【<https://example.com>】を)',
    '「https://example.com」です（https://example.com/a）です':
      'p(「<https://example.com>」です（<https://example.com/a>）です)',
    'https://example.com/docs를 보세요': 'p(<https://example.com/docs>를 보세요)',
    'ดูhttps://example.com/docsนะ': 'p(ดู<https://example.com/docs>นะ)',
    'https://ja.example/wiki/日本2026年 https://例え.example/x':
      'p(<https://ja.example/wiki/日本2026年> <https://例え.example/x>)',
  },
  lists: {
    '1. a\n2. b\n4. c\n5. d': '.[1 p(a) | 2 p(b) | 4 p(c) | 5 p(d)]',
    '3. a\n2. b\n1. c': '.[3 p(a) | 2 p(b) | 1 p(c)]',
    '1. a\n1. b\n1. c': '.[1 p(a) | 2 p(b) | 3 p(c)]',
    '1. a\n\n1. b': '.[1 p(a) | 2 p(b)]',
    '1) a\n2. b': ')[1 p(a)] .[2 p(b)]',
    '- a\n\n\n- b\n\nend': '•[p(a) | p(b)] p(end)',
    '- a\n\n  more\n\nend': '•[p(a) p(more)] p(end)',
    '- test\n\t- child\n\t\t- grandchild': '•[p(test) •[p(child) •[p(grandchild)]]]',
    '-\ta\n1.\tb': '•[p(a)] .[1 p(b)]',
    '- a\n    - b\n    - c\n- d': '•[p(a) •[p(b) | p(c)] | p(d)]',
    '- a\n\t- b\n\t- c\n\t\t- d\n\t\t- e': '•[p(a) •[p(b) | p(c) •[p(d) | p(e)]]]',
    '1. a\n    1. b\n    2. c\n2. d': '.[1 p(a) .[1 p(b) | 2 p(c)] | 2 p(d)]',
    '10. a\n  - b\n  - c': '.[10 p(a) •[p(b) | p(c)]]',
    '1. a\n\n   ```js\n   x\n\n     y\n   ```\n2. b': '.[1 p(a) code:js(x\n\n  y) | 2 p(b)]',
    '- a\n  ```\n\tx\n  ```': '•[p(a) code:(  x)]',
    '>\t- a': 'quote(•[p(a)])',
  },
  'hosts as they are': {
    'https://bank.example@evil.example/x':
      'p(<https://bank.example@evil.example/x at evil.example>)',
    'https://bank.example%2flogin:1@evil.example':
      'p(<https://bank.example%2flogin:1@evil.example at evil.example>)',
    '[bank.example@evil.example](https://bank.example@evil.example)':
      'p(<bank.example@evil.example→https://bank.example@evil.example at evil.example>)',
    'https://аpple.example/a': 'p(<https://аpple.example/a at xn--pple-43d.example>)',
    'https://аррӏе.example': 'p(<https://аррӏе.example at xn--80ak6aa92e.example>)',
    'https://bank.example⁄a.evil.example':
      'p(<https://bank.example⁄a.evil.example at bank.xn--examplea-k03d.evil.example>)',
    'https://%65vil.example http://2130706433/':
      'p(<https://%65vil.example at evil.example> <http://2130706433/ at 127.0.0.1>)',
    '[https://аpple.example](https://аpple.example)':
      'p(<https://аpple.example at xn--pple-43d.example>)',
    'https://Müller.example https://пример.example https://例え.example https://A.example:443/':
      'p(<https://Müller.example> <https://пример.example> <https://例え.example> <https://A.example:443/>)',
    '[here](https://Müller.example) [müller.example](https://müller.example/x)':
      'p(<here→https://Müller.example at müller.example> <müller.example→https://müller.example/x>)',
    'https://xn--pple-43d.example http://[::1]:8080/':
      'p(<https://xn--pple-43d.example> <http://[::1]:8080/>)',
  },
  blocks: {
    '# Title\n#channel\n####### no': 'h1(Title) p(#channel\n####### no)',
    '#### Deep ##\n  ## C#\n#\tTab': 'h4(Deep) h2(C#) h1(Tab)',
    'a\n---\nb\n* * *\n- c\n___': 'p(a) rule p(b) rule •[p(c)] rule',
    '-- \n--- x\n-*-': 'p(-- \n--- x\n-*-)',
    '> a\n> b\nmine': 'quote(p(a\nb)) p(mine)',
    '> > twice\n>- x': 'quote(quote(p(twice)) •[p(x)])',
    '- a\n- b\n  more\n  1. deep\n\nend': '•[p(a) | p(b\nmore) .[1 p(deep)]] p(end)',
    '3) c\n4) d\n* e': ')[3 p(c) | 4 p(d)] •[p(e)]',
    '-1 or +1 or 1.5': 'p(-1 or +1 or 1.5)',
    'a\n===\nb\n\n<b>x</b> &amp; [r]: https://a.example':
      'p(a\n===\nb) p(<b>x</b> &amp; [r]: <https://a.example>)',
  },
};

describe('Markdown', () => {
  for (const [what, texts] of Object.entries(cases))
    describe(`reads ${what}`, () => {
      for (const [text, expected] of Object.entries(texts))
        it(JSON.stringify(text), () => {
          expect(outline(text)).to.equal(expected);
        });
    });

  const pieces = [
    '*',
    '**',
    '_',
    '~~',
    '`',
    '```\n',
    '\n',
    '> ',
    '- ',
    '1. ',
    '# ',
    '[',
    '](',
    ')',
  ];
  const typed = array(constantFrom(...pieces, '\\', ' ', '一', '二 三', 'https://a.example/'), {
    maxLength: 60,
  }).map((parts) => parts.join(''));

  const letters = (text: string) => text.match(/[一二三]/g)?.sort();
  /** True when the words of a link are its address, which then counts once. */
  const isBare = ({ href, children: [words] }: Inline & { type: 'link' }) =>
    words?.type === 'text' && words.text === href;
  const allIn = (blocks: readonly MarkdownBlock[]) =>
    JSON.stringify(blocks, (_, node: Inline | string) =>
      typeof node === 'object' && node.type === 'link' && isBare(node) ? node.children : node,
    );

  it('loses no word', () => {
    assert(
      property(typed, (text) => {
        expect(letters(allIn(readMarkdown(text)))).to.deep.equal(letters(text));
      }),
      { numRuns: atLength(300, 3_000), examples: [['[*](https://a.example/一)']] },
    );
  });

  it('keeps text without markup unchanged', () => {
    assert(
      property(string({ unit: 'grapheme' }), (text) => {
        const plain = text.replace(/[\p{P}\p{S}]/gu, '').trim();
        if (!/^\d+$/.test(plain)) expect(wordsOf(readMarkdown(plain), ids)).to.equal(plain);
      }),
    );
  });

  it('adds the destination of a link whose text does not show it', () => {
    const words = (text: string) => wordsOf(readMarkdown(text), ids);
    expect(words('https://a.example/x')).to.equal('https://a.example/x');
    expect(words('[bank](https://evil.example)')).to.equal('bank (evil.example)');
  });

  it('survives any piece repeated to the limit', () => {
    for (const part of [...pieces, '*a ', '**a *', '> - ', '[a](', '`` `', 'http://((', '***a** '])
      readMarkdown(part.repeat(4_000).slice(0, 4_000));
  });

  describe('makes a bounded number of nodes', () => {
    const toTheLimit = (part: string) => part.repeat(limits.body).slice(0, limits.body);
    const wide = `${'|a'.repeat(20)}|\n${'|-'.repeat(20)}|\n`;
    const hostile: Record<string, string> = {
      'of a table of bars': wide + toTheLimit('|\n'),
      'of a table of short rows': `|a|b|\n|-|-|\n${toTheLimit('|a\n')}`,
      'of a table of full rows': wide + toTheLimit(`${'|a'.repeat(20)}|\n`),
      'of many tables': toTheLimit('|a|b|\n|-|-|\n'),
      'of items': toTheLimit('- a\n'),
      'of items of two kinds': toTheLimit('- a\n1. a\n'),
      'of nested items': toTheLimit('- a\n  - b\n    - c\n      - d\n'),
      'of nested marks of items': toTheLimit('- - - - - a\n'),
      'of emphasis': toTheLimit('*a*'),
      'of strong and deleted': toTheLimit('**a**~~b~~'),
      'of code': toTheLimit('`a`'),
      'of links': toTheLimit('[a](http://a.b)'),
      'of addresses': toTheLimit('http://a.b '),
      'of marks within links': toTheLimit('[*a*_b_*c*](http://a.b)'),
      'of mentions': toTheLimit(`${ann} `),
      'of calls': toTheLimit('@here '),
      'of escaped colons': toTheLimit('\\:'),
      'of headings': toTheLimit('# a\n'),
      'of paragraphs': toTheLimit('a\n\n'),
      'of quotes': toTheLimit('> a\n\n'),
    };
    for (const [what, text] of Object.entries(hostile))
      it(what, () => {
        const blocks = readMarkdown(text);
        expect(countNodes(blocks)).to.be.below(maxNodes);
        expect(letters(allIn(blocks))).to.deep.equal(letters(text));
      });

    it('for any pieces put together and repeated', () => {
      assert(
        property(array(constantFrom(...pieces), { minLength: 1, maxLength: 6 }), (parts) => {
          expect(countNodes(readMarkdown(toTheLimit(parts.join(''))))).to.be.below(maxNodes);
        }),
        { numRuns: atLength(300, 3_000) },
      );
    });
  });
});
