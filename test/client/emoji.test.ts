import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { emojiNamed, searchEmoji, type EmojiEntry } from '../../client/emoji/search.ts';
import { splitSigns } from '../../client/emoji/split.ts';
import { emojiSought, emojiWritten } from '../../client/emoji/sought.ts';
import { usualSigns, withUse, type Habits } from '../../client/emoji/frequency.ts';
import { inTone } from '../../client/emoji/tones.ts';
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import { textsIn } from '../../shared/markdown/tree.ts';

interface Group {
  emojis: { emoji: string; name: string; skin_tone_support: boolean }[];
}

const read = async <T>(path: string): Promise<T> =>
  JSON.parse(await readFile(new URL(`../../node_modules/${path}`, import.meta.url), 'utf8')) as T;

describe('emoji', () => {
  let all: EmojiEntry[];
  const signs = (text: string, limit = 8) => searchEmoji(all, text, limit).map(({ sign }) => sign);

  before(async () => {
    const groups = await read<Group[]>('unicode-emoji-json/data-by-group.json');
    const words = await read<Record<string, string[]>>('emojilib/dist/emoji-en-US.json');
    all = groups
      .flatMap(({ emojis }) => emojis)
      .map(({ emoji: sign, name, skin_tone_support: hasTones }) => ({
        ...{ sign, name, hasTones },
        words: words[sign] ?? [],
      }));
  });

  it('are offered as reactions by frequency of use, in an order that changes at most once a day', () => {
    let habits: Habits = { recent: [], tone: '', counts: {}, quick: usualSigns, day: '' };
    const use = (signs: string[], day: string) => {
      for (const sign of signs) habits = withUse(habits, sign, day);
      return habits.quick;
    };
    expect(use(['🎉'], '2026-01-01')).to.deep.equal(['🎉', '👍', '❤️']);
    expect(use(['🚀', '🚀', '👀', '😂'], '2026-01-01')).to.deep.equal(['🎉', '👍', '❤️']);
    expect(use(['👀'], '2026-01-02')).to.deep.equal(['👀', '🚀', '😂']);
    for (let i = 0; i < 100; i += 1) use([`sign ${i}`], '2026-01-02');
    expect(Object.keys(habits.counts)).to.have.length(24);
  });

  it('are found by their names and by what people call them, the best first', () => {
    expect(signs('tada')[0]).to.equal('🎉');
    expect(signs('party popper')[0]).to.equal('🎉');
    expect(signs('+1')[0]).to.equal('👍');
    expect(signs('thumbs_up')[0]).to.equal('👍');
    expect(signs('Red heart')[0]).to.equal('❤️');
    expect(signs('pinata')[0]).to.equal('🪅');
    expect(signs('smi')).to.have.length(8);
  });

  it('are not found inside a word or by an empty query', () => {
    expect(signs('umbs')).to.deep.equal([]);
    expect(signs(' : ')).to.deep.equal([]);
    expect(signs('zzz-no-such')).to.deep.equal([]);
  });

  it('replace a name between two colons, if it is unambiguous', () => {
    const meant = {
      tada: '🎉',
      heart: '❤️',
      smile: '😄',
      '+1': '👍',
      heart_eyes: '😍',
      fire: '🔥',
    };
    for (const [name, sign] of Object.entries(meant))
      expect(emojiNamed(all, name)?.sign, name).to.equal(sign);
    for (const name of ['love', 'zzqq', 'umbs', ''])
      expect(emojiNamed(all, name)?.sign, name).to.equal(undefined);
    expect(emojiWritten('Done :tada:', 11)).to.deep.equal({ at: 5, letters: 'tada' });
    expect(emojiWritten(':+1:', 4)).to.deep.equal({ at: 0, letters: '+1' });
    for (const text of ['10:30:', 'a:b:', 'http://x:', '::tada:', ':tada', ':ta da:'])
      expect(emojiWritten(text, text.length), text).to.equal(undefined);
  });

  it('are found after a colon that begins a word', () => {
    expect(emojiSought('Nice :smi', 9)).to.deep.equal({ at: 5, letters: 'smi' });
    expect(emojiSought('(:+1', 4)).to.deep.equal({ at: 1, letters: '+1' });
    for (const text of ['at 10:30', 'http://x', 'a::b', 'x :s', 'so: well', 'f(a:bc', ':-)'])
      expect(emojiSought(text, text.length), text).to.equal(undefined);
  });

  it('are limited to a hundred custom ones in a message, in reading order; the rest are text', () => {
    const signsIn = (body: string) => {
      const texts = textsIn(readMarkdown(body));
      const pieces = splitSigns(texts);
      const all = texts.map((text) => pieces.get(text) ?? []);
      expect(all.flat().join('')).to.equal(texts.map(({ text }) => text).join(''));
      return all.map((each) => each.filter((_, i) => i % 2 === 1));
    };
    expect(signsIn('So :tea: *and* :cake:, 10:30:20')).to.deep.equal([[':tea:'], [], [':cake:']]);
    for (const escaped of ['\\:tea:', 'a :tea\\: b', '*\\:tea:*'])
      expect(signsIn(escaped).flat(), escaped).to.deep.equal([]);
    const many = (count: number) => ':tea: '.repeat(count);
    expect(signsIn(many(660)).flat()).to.have.length(100);
    const spread = signsIn(
      `> **${many(60)}x**\n\n- [${many(30)}](https://x.example)\n\n${many(60)}`,
    );
    expect(spread.map(({ length }) => length)).to.deep.equal([60, 30, 10]);
  });

  it('have custom names in which underscores are no emphasis', () => {
    for (const sign of [':__proto__:', ':_tea_:', ':a_b:'])
      expect(readMarkdown(`_So_ ${sign} so`)).to.deep.equal([
        {
          type: 'paragraph',
          children: [
            { type: 'em', children: [{ type: 'text', text: 'So' }] },
            { type: 'text', text: ` ${sign} so` },
          ],
        },
      ]);
    expect(readMarkdown('**:tea:**')).to.have.deep.nested.property(
      '[0].children[0].type',
      'strong',
    );
  });

  it('are drawn in each skin tone that Unicode has for them', () => {
    expect(inTone('👋', '🏽')).to.equal('👋🏽');
    expect(inTone('☝️', '🏿')).to.equal('☝🏿');
    expect(inTone('🧑‍💻', '🏻')).to.equal('🧑🏻‍💻');
    expect(inTone('👋', '')).to.equal('👋');
    expect(inTone('🎉', '🏽'), 'has no tones').to.equal('🎉');
    expect(inTone('👨‍👩‍👧', '🏽'), 'a family has none').to.equal('👨‍👩‍👧');
  });
});
