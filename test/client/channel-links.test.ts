/** Named channels: `#name` in the composer, `<#id>` in sent messages. */
import { expect } from 'chai';
import { assert, constantFrom, array, property } from 'fast-check';
import { channelsToBody, channelsToText } from '../../client/channels/spelling.ts';
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import { soughtAt, suggestChannels } from '../../client/mentions/suggest.ts';
import { channelMarkOf } from '../../shared/mentions.ts';

const id = (n: number) => `019a1b2c-0000-7000-8000-00000000000${n}`;
const channels = ['general', 'plans', 'plans-2027', 'plans', 'Big Room'].map((name, n) => ({
  id: id(n),
  name,
}));
const mark = (n: number) => channelMarkOf(id(n));

describe('channel links', () => {
  const cases: Record<string, string> = {
    'See #general, #plans.': `See ${mark(0)}, ${mark(1)}.`,
    '#plans-2027 is not #plans-2028': `${mark(2)} is not #plans-2028`,
    'in #Big Room!': `in ${mark(4)}!`,
    'a#general C#general &#general; http://x/#general ##general':
      'a#general C#general &#general; http://x/#general ##general',
    '`#general` and\n```\n#general\n```': '`#general` and\n```\n#general\n```',
    '``#general``': '``#general``',
    '#generally': '#generally',
    '# general': '# general',
  };
  for (const [text, body] of Object.entries(cases))
    it(`are sent by their ids: ${JSON.stringify(text)}`, () => {
      expect(channelsToBody(text, channels)).to.equal(body);
    });

  it('become names again, unless the name leads elsewhere or is unknown', () => {
    expect(channelsToText(`See ${mark(0)}`, channels)).to.equal('See #general');
    expect(channelsToText(`See ${mark(3)}`, channels), 'the lower of two').to.equal(
      `See ${mark(3)}`,
    );
    expect(channelsToText(`See ${mark(9)}`, channels)).to.equal(`See ${mark(9)}`);
  });

  it('convert to text and back without a change, for any body', () => {
    const parts = ['#general', '#plans', '#plans-2027', mark(0), mark(3), '`', '#', ' ', 'a', '<'];
    assert(
      property(array(constantFrom(...parts), { maxLength: 12 }), (written) => {
        const body = channelsToBody(written.join(''), channels);
        expect(channelsToBody(channelsToText(body, channels), channels)).to.equal(body);
      }),
    );
  });

  it('are parsed as links', () => {
    expect(readMarkdown(`a ${mark(1).toUpperCase()} \`${mark(1)}\``)).to.deep.equal([
      {
        type: 'paragraph',
        children: [
          { type: 'text', text: 'a ' },
          { type: 'channel', channelId: id(1) },
          { type: 'text', text: ' ' },
          { type: 'code', text: mark(1) },
        ],
      },
    ]);
  });

  it('are suggested after a #, by the start of their name, then of a word in it', () => {
    expect(soughtAt('see #pl', 7, '#')).to.deep.equal({ at: 4, letters: 'pl' });
    for (const text of ['C#', '&#1', 'x/#a', '##a', '# a'])
      expect(soughtAt(text, text.length, '#'), text).to.equal(undefined);
    expect(suggestChannels(channels, 'r').map(({ name }) => name)).to.deep.equal(['Big Room']);
    expect(suggestChannels(channels, 'PLANS').map(({ id }) => id)).to.deep.equal([
      id(1),
      id(2),
      id(3),
    ]);
  });
});
