/** True if a text contains markup. Names, channels and addresses do not count. */
import { parsed } from '../markdown/parsed.ts';
import type { Inline } from '../../shared/markdown/tree.ts';

/** Text without these characters has no markup and needs no parsing. */
const signs = /[*_~`>#|\\[]|^\s*(?:[-+]|\d+[.)]) /m;

export const hasMarkup = (body: string): boolean =>
  signs.test(body) &&
  parsed(body).some((block) => block.type !== 'paragraph' || block.children.some(isMarkup));

function isMarkup(node: Inline): boolean {
  if (node.type !== 'link') return node.type === 'code' || 'children' in node;
  const [words] = node.children;
  return words?.type !== 'text' || words.text !== node.href;
}
