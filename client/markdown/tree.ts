/** What a message says, read as Markdown: blocks of text, and what stands within a line. */

export type Block =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: number; children: Inline[] }
  | { type: 'quote'; children: Block[] }
  /** `first` is the number of the first item; without one the items have bullets. */
  | { type: 'list'; first?: number; items: Block[][] }
  | { type: 'code'; language: string; text: string };

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  /** `host` says where a link leads whose words do not. */
  | { type: 'link'; href: string; host?: string; children: Inline[] }
  | { type: Emphasis; children: Inline[] };

export type Emphasis = 'strong' | 'em' | 'del';

/** The words alone, as they are spoken or shown in one line. */
export const wordsOf = (blocks: readonly Block[]): string => blocks.map(blockWords).join('\n');

function blockWords(block: Block): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return inlineWords(block.children);
    case 'quote':
      return wordsOf(block.children);
    case 'list':
      return block.items.map(wordsOf).join('\n');
    case 'code':
      return block.text;
  }
}

const inlineWords = (inlines: readonly Inline[]): string =>
  inlines.map((node) => ('text' in node ? node.text : inlineWords(node.children))).join('');
