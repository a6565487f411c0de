/** Messages that consist of a few emoji are drawn large. */
import type { MarkdownBlock } from '../../shared/markdown/tree.ts';

const maxEmoji = 8;
/** A family of seven with its joiners has 11 characters of two UTF-16 units each, so longer text cannot fit. */
const longest = maxEmoji * 24;

const emoji = /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F)/u;
const signs = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function isEmojiOnly(blocks: readonly MarkdownBlock[]): boolean {
  const [block, ...more] = blocks;
  if (block?.type !== 'paragraph' || more.length > 0) return false;
  const [node, ...others] = block.children;
  if (node?.type !== 'text' || others.length > 0 || node.text.length > longest) return false;
  const said = [...signs.segment(node.text)]
    .map(({ segment }) => segment)
    .filter((one) => one.trim());
  return said.length > 0 && said.length <= maxEmoji && said.every((one) => emoji.test(one));
}
