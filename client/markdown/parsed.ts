/** Parses each body once: for its row while it is sent and after it has arrived, and for the announcement. */
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import type { MarkdownBlock } from '../../shared/markdown/tree.ts';

/** Each row keeps its own; these are for bodies that come again. */
const maxCached = 100;
const held = new Map<string, readonly MarkdownBlock[]>();

export function parsed(body: string): readonly MarkdownBlock[] {
  const blocks = held.get(body) ?? readMarkdown(body);
  held.delete(body);
  held.set(body, blocks);
  const [oldest] = held.keys();
  if (held.size > maxCached && oldest !== undefined) held.delete(oldest);
  return blocks;
}
