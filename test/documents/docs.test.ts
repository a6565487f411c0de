import { expect } from 'chai';
import { current, freshDocuments } from '../../scripts/docs.ts';
import { phrasesIn } from '../../scripts/docs/phrases.ts';
import { textsUnder } from '../../scripts/docs/texts.ts';

describe('documents', () => {
  for (const [document, fresh] of Object.entries(freshDocuments))
    it(`match the code; if not, run npm run docs: ${document}`, () => {
      expect(current(document)).to.equal(fresh());
    });
});

describe('texts', () => {
  it('are found in markup, with placeholders and alternatives', () => {
    const source = `
      <script lang="ts">
        const title = \`Delete \${server.name}?\`;
        const kind: 'A type' = pick('key', { A: 'Ann’s ' + 'own' });
      </script>
      <h1 class="A class" title="Your account">{title}</h1>
      <p>Only {count === 1 ? 'you' : \`\${count} people\`} can see <b>{name}</b>. {#if big}Big.{:else}Small.{/if}</p>
      {#each rows as row}<Row label={row.mine ? 'Yours' : 'Theirs'} onclick={() => tell('It’s gone.')} />{/each}
    `;
    expect(phrasesIn('Some.svelte', source)).to.deep.equal([
      'Your account',
      'Only {you | {count} people} can see {name}. {Big. | Small.}',
      'Yours',
      'Theirs',
      'It’s gone.',
      'Delete {name}?',
      'Ann’s own',
    ]);
  });

  it('are found in code, without queries, keys and types', () => {
    const source = `
      type Kind = 'A kind';
      import { x } from './Some file.ts';
      if (key === 'Enter') throw new ChatError('conflict', \`You can have up to \${limits.bots} bots.\`);
      await db.query(\`select id from users where id = $1\`);
      const lines = ['Parley is ready: ' + address, 'access_version', { 'Some key': 1 }];
    `;
    expect(phrasesIn('some.ts', source)).to.deep.equal([
      'You can have up to {bots} bots.',
      'Parley is ready: {address}',
    ]);
  });

  /** Phrases that a native writer would not use, with a better one. */
  const unlearned: [pattern: RegExp, instead: string][] = [
    [/\bwho(?:ever|m)\b/i, 'anyone who, people who'],
    [/\b(?:some|any|every|no)body\b/i, 'someone, anyone, everyone, no one'],
    [/\bat once\b/i, 'immediately, together, at a time'],
    [/\bfor good\b/i, 'permanently'],
    [/\b(?:in the )?meanwhile\b/i, 'in the meantime, or nothing'],
    [/\banew\b/i, 'again'],
    [/\bby it\b/i, 'with it'],
    [/\bone’s\b|\boneself\b/i, 'your, yourself'],
    [/\p{L}'\p{L}/u, '’'],
  ];
  const contractions: [RegExp, string][] = [
    [/\bcannot\b/i, 'can’t'],
    [/\b(?:do|does|did|is|are|was|were|has|have|had|could|should|would) not\b(?! disturb)/i, 'n’t'],
  ];

  const broken = (text: string, rules: [RegExp, string][]) =>
    rules
      .filter(([pattern]) => pattern.test(text))
      .map(([pattern, instead]) => `${text} (${pattern.exec(text)?.[0] ?? ''}: ${instead})`);

  it('contain nothing that a native writer would not write, and use contractions', () => {
    const found = textsUnder(/^(?:client|shared|server|scripts\/(?:ensure|tools|demo|cluster)\b)/)
      .filter(({ path }) => !path.startsWith('server/database/migrations/'))
      .flatMap(({ path, phrases }) =>
        phrases.flatMap((phrase) =>
          broken(phrase, [...unlearned, ...contractions]).map((one) => `${path}: ${one}`),
        ),
      );
    expect(found).to.deep.equal([]);
  });

  for (const document of [
    'README.md',
    'CONTRIBUTING.md',
    'docs/configuration.md',
    'docs/testing.md',
    'docs/bots.md',
    'docs/operations.md',
    'docs/faults.md',
    'docs/scaling.md',
  ])
    it(`contain nothing in ${document} that a native writer would not write`, () => {
      const prose = current(document).replaceAll(
        /```[^]*?```|`[^`]*`|_[^_]*_|<!--[^]*?-->|https?:\S+/g,
        '',
      );
      const sentences = prose.replaceAll(/\s+/g, ' ').split(/(?<=[.:;?!]) |\|/);
      expect(sentences.flatMap((sentence) => broken(sentence, unlearned))).to.deep.equal([]);
    });
});
