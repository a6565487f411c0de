/** The syntax tree of a message: blocks, and the inlines in them. */

export type MarkdownBlock =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: number; children: Inline[] }
  | { type: 'quote'; children: MarkdownBlock[] }
  | { type: 'rule' }
  | { type: 'list'; sign: ListSign; items: Item[] }
  | { type: 'table'; columns: Alignment[]; head: Inline[][]; rows: Inline[][][] }
  /** `info` is the text after the opening fence, if it is more than the language. */
  | { type: 'code'; language: string; info?: string; text: string };

/** The markers of a list: bullets, or numbers followed by this character. */
export type ListSign = 'bullet' | '.' | ')';

export interface Item {
  blocks: MarkdownBlock[];
  /** Only in a numbered list. */
  number?: number;
  /** Only for a task. */
  done?: boolean;
}

export type Alignment = 'start' | 'center' | 'end';

export interface PlainText {
  type: 'text';
  text: string;
  /** Not joined with adjacent text, so that an escaped colon becomes no part of an emoji. */
  escaped?: true;
}

export type Inline =
  | PlainText
  | { type: 'code'; text: string }
  /** `@everyone` or `@here`. The message says whether it mentions anyone. */
  | { type: 'call'; text: string }
  | { type: 'mention'; userId: string }
  | { type: 'channel'; channelId: string }
  /** `host` is set if the words or the look of the link do not show where it leads. */
  | { type: 'link'; href: string; host?: string; children: Inline[] }
  | { type: Emphasis; children: Inline[] };

export type Emphasis = 'strong' | 'em' | 'del';

const leavesIn = (nodes: readonly (MarkdownBlock | Inline)[]): Inline[] =>
  nodes.flatMap((node) => {
    if ('children' in node) return leavesIn(node.children);
    if (node.type === 'list') return node.items.flatMap(({ blocks }) => leavesIn(blocks));
    if (node.type === 'table') return leavesIn([node.head, ...node.rows].flat(2));
    return node.type === 'rule' || 'language' in node ? [] : [node];
  });

/** The addresses of links, in order. */
export const linksIn = (nodes: readonly (MarkdownBlock | Inline)[]): string[] =>
  nodes.flatMap((node) => {
    if ('href' in node) return [node.href];
    if ('children' in node) return linksIn(node.children);
    if (node.type === 'list') return node.items.flatMap(({ blocks }) => linksIn(blocks));
    return node.type === 'table' ? linksIn([node.head, ...node.rows].flat(2)) : [];
  });

export const textsIn = (nodes: readonly (MarkdownBlock | Inline)[]): PlainText[] =>
  leavesIn(nodes).flatMap((node) => (node.type === 'text' ? [node] : []));

export interface Marks {
  people: string[];
  channels: string[];
  calls: string[];
}

export function marksIn(nodes: readonly MarkdownBlock[]): Marks {
  const [people, channels, calls] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const node of leavesIn(nodes))
    if (node.type === 'mention') people.add(node.userId);
    else if (node.type === 'channel') channels.add(node.channelId);
    else if (node.type === 'call') calls.add(node.text);
  return { people: [...people], channels: [...channels], calls: [...calls] };
}

export interface Names {
  person(userId: string): string;
  channel(channelId: string): string;
}

/** Returns the words alone, to be spoken or shown in one line. */
export const wordsOf = (blocks: readonly MarkdownBlock[], names: Names): string =>
  blocks.map((block) => blockWords(block, names)).join('\n');

function blockWords(block: MarkdownBlock, names: Names): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return inlineWords(block.children, names);
    case 'quote':
      return wordsOf(block.children, names);
    case 'rule':
      return '—';
    case 'list':
      return block.items.map((item) => itemWords(item, names)).join('\n');
    case 'table':
      return [block.head, ...block.rows]
        .map((cells) => cells.map((cell) => inlineWords(cell, names)).join(', '))
        .join('\n');
    case 'code':
      return [block.info, block.text].filter(Boolean).join('\n');
  }
}

const itemWords = ({ blocks, done }: Item, names: Names) =>
  (done === undefined ? '' : done ? 'done: ' : 'to do: ') + wordsOf(blocks, names);

function inlineWords(inlines: readonly Inline[], names: Names): string {
  return inlines
    .map((node) => {
      if ('text' in node) return node.text;
      if ('channelId' in node) return `#${names.channel(node.channelId)}`;
      if ('userId' in node) return `@${names.person(node.userId)}`;
      const words = inlineWords(node.children, names);
      return node.type === 'link' && node.host ? `${words} (${node.host})` : words;
    })
    .join('');
}
