/** Highlights code in its own thread, so that no code can block the page. */
import { common, createLowlight } from 'lowlight';
import type { HighlightRequest, Piece, HighlightReply } from './pieces.ts';

const reader = createLowlight(common);

type Root = ReturnType<typeof reader.highlight>;
type Node = Root['children'][number];

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const { id, language, text } = data;
  postMessage('reading');
  const pieces = reader.registered(language) ? flat(reader.highlight(language, text)) : undefined;
  postMessage({ id, pieces } satisfies HighlightReply);
});

const flat = ({ children }: Root): Piece[] => children.flatMap((node) => piecesOf(node, ''));

/** Each text gets its innermost kind. */
function piecesOf(node: Node, kind: string): Piece[] {
  if (node.type === 'text') return [{ text: node.value, kind }];
  if (node.type !== 'element') return [];
  const [name] = Array.isArray(node.properties.className) ? node.properties.className : [];
  const own = typeof name === 'string' ? name.replace('hljs-', '') : kind;
  return node.children.flatMap((child) => piecesOf(child, own));
}
