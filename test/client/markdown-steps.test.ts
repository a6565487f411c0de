/**
 * The parser's work must be proportional to the length of any text, because everyone in a channel parses the messages
 * of each member. Steps are counted (test/support/steps-itself.ts), not milliseconds.
 */
import { expect } from 'chai';
import { array, assert, asyncProperty, constantFrom, tuple } from 'fast-check';
import { limits } from '../../shared/limits.ts';
import { openStepCounter, type StepCounter } from '../support/steps.ts';
import { atLength } from '../support/length.ts';

/** Steps for each character, at the most. */
const maxSteps = 150;
const sizes = [1, 2, 4, 16].map((times) => (times * limits.body) / 4);
/** A character of the longest text costs no more than one of a shorter text, apart from rounding. */
const slack = 1.05;

/** Whole repetitions only, because a cut one could cost more than all others. */
const repeated = (part: string) => (length: number) => part.repeat(length / part.length);
/** A first half that opens many elements, and a second half that could close them. */
const halves = (first: string, second: string) => (length: number) =>
  repeated(first)(length / 2) + repeated(second)(length / 2);
const numbered = (part: (i: number) => string) => (length: number) => {
  let text = '';
  for (let i = 1; text.length < length; i++) text += part(i);
  return text.slice(0, length);
};
const ann = '<@019a1b2c-0000-7000-8000-0000000000ab>';

const hostile: Record<string, Record<string, (length: number) => string>> = {
  addresses: {
    'that froze the page': halves('(http://[', ')'),
    'none of which is one': repeated('http://['),
    'none of which is one, with an end to take off': halves('http://[', '.'),
    'with a question': halves('http://[?', '?!'),
    'with a question each': repeated('http://[?..'),
    'in one another': repeated('http://a.example/'),
    'with users': repeated('https://a@'),
    'with slashes only': (length) => `http:${repeated('/\\')(length)}`,
    'in angles that do not close': repeated('<https://a.example '),
    'with brackets of all kinds': halves('http://a.example/([{（「', ')]}）」'),
    'with a host of other letters': (length) => `https://${repeated('一二三丁')(length)}`,
    'with many hosts of other letters': repeated('https://пример.example '),
    'that are nothing but their beginning': repeated('http'),
    'beside letters without spaces': repeated('は'.concat('http://a.example/aは')),
    'with wide parentheses': halves('http://a.example/（', '）'),
    'whose parts alternate': (length) => `http://a.example/${repeated('日a')(length)}`,
  },
  links: {
    'that do not end': repeated('[a](http://x'),
    'that end in spaces': halves('[a](http://x', ' '),
    'that end in spaces and a bracket': halves('[a](http://x', ' )'),
    'to nowhere': repeated('[a](http://[)'),
    'with spaces before': repeated('[a](     '),
    'with angles': repeated('[a](<http://x>'),
    'with words only': repeated('[a]('),
    'nested in their words': halves('[', ']'),
    'nested with addresses': halves('[', '](http://a.example)'),
    'with marks for words': repeated('[*_~`](https://a.example)'),
    'with escapes': repeated('[\\]'),
    'whose addresses have parentheses': repeated('[a](http://x/(a(b)c))'),
    'whose parentheses do not end': repeated('[a](http://x/('),
    'nested in their addresses': halves('[a](http://x/', ')'),
    'with titles': repeated('[a](http://x "b") '),
    'whose titles do not end': repeated('[a](http://x "b)'),
    'whose titles are many': halves('[a](http://x "', ')'),
    'with an address of escapes': (length) => `[a](http://x/${repeated('\\(')(length)})`,
    'with brackets in their words': repeated('[a [b]](http://x)'),
    'behind an arm': repeated('[¯\\[¯\\]('),
  },
  emphasis: {
    'that opens': repeated('*a '),
    'that closes': repeated('a* '),
    'of two kinds that open': halves('*a _b ', 'a~~ b* '),
    'of one kind that opens and of another that closes': halves('*a ', 'a_ '),
    'in ever longer runs': numbered((i) => `${'*'.repeat(i)}a`),
    'in threes': repeated('***a** '),
    'that could be both': repeated('a**b*c***'),
    'that could be both and never fits': halves('a*', 'b**'),
    'deeper than is read': halves('*a **a ', 'a** a* '),
    'deeper than is read, and on': (length) =>
      '*a **a '.repeat(9) + 'a** a* '.repeat(9) + repeated('a* a_ ')(length),
    'of tildes': halves('~~a ', 'a~~ '),
    'of single tildes': repeated('~a~~~b '),
    'in one run': repeated('*'),
    'around addresses': repeated('**https://a.example** '),
  },
  code: {
    'in runs of every length': numbered((i) => `${'`'.repeat(i)} `),
    'in runs that close': numbered((i) => `${'`'.repeat(i)}a${'`'.repeat(i)}`),
    'behind escapes': repeated('\\``'),
    'that is spaces': (length) => `\` ${repeated('a ')(length)}a\``,
    'whose fence does not open': (length) => `\`\`\`${repeated(' ')(length)}!`,
    'whose fence has a long name': (length) => `\`\`\`${repeated('js')(length)}!`,
    'whose fences open': repeated('```\n'),
    'whose fences say more': repeated('```a b\n'),
    'that ends behind code': repeated('```\na```\n'),
    'in items': repeated('- a\n  ```\n\n  b\n'),
    'whose fences differ': numbered((i) => `${'`'.repeat(i + 2)}\n`),
  },
  'quotes and lists': {
    'of nothing': repeated('>'),
    'in quotes': repeated('> '),
    'a line each': repeated('> a\n'),
    'of bullets': repeated('- '),
    'of numbers': repeated('1. '),
    'of lists in quotes': repeated('> - '),
    'with much space': (length) => `- ${repeated(' ')(length)}`,
    'whose lines are many': repeated('- a\n'),
    'whose items stand apart': repeated('- a\n\n'),
    'whose items have empty lines': repeated('- a\n\n  b\n'),
    'that alternate and stand apart': repeated('- a\n\n1. a\n\n'),
    'with empty lines in the deepest': (length) =>
      `${repeated('- ')(20)}a\n${repeated('\n')(length)}`,
    'with tabs': repeated('-\ta\n\t- b\n'),
    'of tabs': repeated('\t'),
    'of lines of tabs': repeated('\t\t\t\n'),
    'whose items alternate': repeated('- a\n1. a\n'),
    'whose items are deep': repeated('- a\n  - b\n    - c\n      - d\n'),
    'with empty lines': repeated('\n'),
    'with lines of spaces': repeated('   \n'),
    'a paragraph each': repeated('a\n\n'),
  },
  tables: {
    'of heads and dashes': repeated('|a|b|\n|-|-|\n'),
    'of many columns': repeated('|a'),
    'whose heads are long': (length) =>
      `|${repeated('a ')(length / 2)}|b|\n|-|-|\n|${repeated('b ')(length / 2)}|`,
    'of dashes alone': repeated('|-|-|\n'),
    'whose rows are many': (length) => `|a|b|\n|-|-|\n${repeated('|a|b|\n')(length)}`,
    'whose rows have many cells': (length) => `|a|b|\n|-|-|\n${repeated('|a')(length)}`,
    'whose bars are escaped': (length) => `|a|b|\n|-|-|\n${repeated('\\|')(length)}`,
    'with marks in cells': (length) => `|a|b|\n|-|-|\n${repeated('*|[|`|')(length)}`,
  },
  'headings, mentions and the rest': {
    'of headings': repeated('# a\n'),
    'a heading of spaces': (length) => `#${repeated(' ')(length)}`,
    'a heading of spaces and a sign': (length) => `# ${repeated(' \t')(length)}`,
    'of mentions': repeated(ann),
    'of mentions that do not end': repeated(ann.slice(0, -1)),
    'of angles': repeated('<'),
    'of colons': repeated(':'),
    'of emoji': repeated(':_tea_:'),
    'of entities': repeated('&#60;&amp;'),
    'of tables': repeated('|a|-|\n'),
    'of escapes': repeated('\\'),
    'of one word': repeated('a'),
    'of two halves of letters': repeated('😀'),
  },
};

describe('Markdown parsing steps', () => {
  let counter: StepCounter;
  before(() => void (counter = openStepCounter()));
  after(() => counter.close());

  for (const [what, families] of Object.entries(hostile))
    describe(what, () => {
      for (const [which, family] of Object.entries(families))
        it(`grow with the length: ${which}`, async () => {
          const texts = sizes.map(family);
          const steps = await counter.of(texts);
          const each = texts.map(({ length }, i) => (steps[i] ?? Infinity) / length);
          const [longest = Infinity, ...shorter] = each.toReversed();
          expect(longest, each.join(', ')).to.be.at.most(maxSteps);
          expect(longest, each.join(', ')).to.be.at.most(slack * Math.max(...shorter));
        });
    });

  it('are counted: each character costs at least one, even if repeated', async () => {
    const [one = 0, hundred = 0] = await counter.of(['a', 'a'.repeat(100)]);
    expect(hundred - one).to.be.at.least(99);
  });

  const signs = [
    '*',
    '**',
    '_',
    '~~',
    '`',
    '``',
    '```',
    '\\',
    '\n',
    '> ',
    '- ',
    '1. ',
    '# ',
    '<',
    '>',
  ];
  const inLinks = [
    '[',
    ']',
    '](',
    '(',
    ')',
    'http://',
    'https://a',
    '[a](http://',
    '?',
    '.',
    '@',
    '/',
    ':',
  ];
  const others = [' ', '    ', 'a', '一', ' b', '¯\\', '<@', ann, '\t', '😀'];
  const part = array(constantFrom(...signs, ...inLinks, ...others), {
    minLength: 1,
    maxLength: 6,
  }).map((pieces) => pieces.join(''));

  it('grow linearly with the length of repeated combinations', async () => {
    await assert(
      asyncProperty(tuple(part, part, part), async ([first, between, last]) => {
        const text = halves(first, between)(3 * limits.body) + repeated(last)(limits.body);
        const [steps = 0] = await counter.of([text]);
        expect(steps).to.be.at.most(maxSteps * text.length);
      }),
      { numRuns: atLength(30, 150) },
    );
  });
});
