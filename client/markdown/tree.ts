/** What a message says, read as Markdown: blocks of text, and what stands within a line. */

export type Block =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: number; children: Inline[] }
  | { type: 'quote'; children: Block[] }
  /** `first` is the number of the first item; without one the items have bullets. */
  | { type: 'list'; first?: number; items: Item[] }
  | { type: 'table'; columns: Alignment[]; head: Inline[][]; rows: Inline[][][] }
  | { type: 'code'; language: string; text: string };

export interface Item {
  blocks: Block[];
  /** Of a task: whether it is done. */
  done?: boolean;
}

export type Alignment = 'start' | 'center' | 'end';

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'mention'; userId: string }
  /** `host` says where a link leads whose words, or whose look, do not. */
  | { type: 'link'; href: string; host?: string; children: Inline[] }
  | { type: Emphasis; children: Inline[] };

export type Emphasis = 'strong' | 'em' | 'del';

type NameOf = (userId: string) => string;

/** The words alone, as they are spoken or shown in one line. */
export const wordsOf = (blocks: readonly Block[], nameOf: NameOf): string =>
  blocks.map((block) => blockWords(block, nameOf)).join('\n');

function blockWords(block: Block, nameOf: NameOf): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return inlineWords(block.children, nameOf);
    case 'quote':
      return wordsOf(block.children, nameOf);
    case 'list':
      return block.items.map((item) => itemWords(item, nameOf)).join('\n');
    case 'table':
      return [block.head, ...block.rows]
        .map((cells) => cells.map((cell) => inlineWords(cell, nameOf)).join(', '))
        .join('\n');
    case 'code':
      return block.text;
  }
}

const itemWords = ({ blocks, done }: Item, nameOf: NameOf) =>
  (done === undefined ? '' : done ? 'done: ' : 'to do: ') + wordsOf(blocks, nameOf);

function inlineWords(inlines: readonly Inline[], nameOf: NameOf): string {
  return inlines
    .map((node) => {
      if ('text' in node) return node.text;
      if ('userId' in node) return `@${nameOf(node.userId)}`;
      const words = inlineWords(node.children, nameOf);
      return node.type === 'link' && node.host ? `${words} (${node.host})` : words;
    })
    .join('');
}
