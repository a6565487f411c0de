/** Pairs the marks of emphasis, inner ones first, each with the nearest that opens; the rest are text again. */
import type { Emphasis, Inline } from './tree.ts';

export interface Mark {
  sign: '*' | '_' | '~';
  count: number;
  opens: boolean;
  closes: boolean;
}

type Piece = Inline | Mark;

/** Nested deeper than this, marks are text. */
const deepest = 8;

export function resolveEmphasis(pieces: readonly Piece[]): Inline[] {
  const done: Piece[] = [];
  for (const piece of pieces) {
    if (isMark(piece)) close(done, { ...piece });
    else done.push(piece);
  }
  return joined(done);
}

function close(done: Piece[], mark: Mark) {
  while (mark.closes && mark.count > 0) {
    const at = done.findLastIndex((piece) => isMark(piece) && opensFor(piece, mark));
    const opener = done[at];
    if (!opener || !isMark(opener)) break;
    const count = Math.min(opener.count, mark.count, 2);
    const children = joined(done.splice(at + 1));
    if (depthOf(children) >= deepest) {
      done.push(...children);
      break;
    }
    opener.count -= count;
    mark.count -= count;
    if (opener.count === 0) done.pop();
    done.push({ type: kindOf(mark, count), children });
  }
  if (mark.count > 0) done.push(mark);
}

/** `~` counts only by twos. What could be both does not pair when its lengths add up to three (CommonMark, rule 9). */
const opensFor = (opener: Mark, closer: Mark) =>
  opener.opens &&
  opener.sign === closer.sign &&
  (closer.sign !== '~' || (opener.count === 2 && closer.count === 2)) &&
  !((opener.closes || closer.opens) && (opener.count + closer.count) % 3 === 0);

const kindOf = (mark: Mark, count: number): Emphasis =>
  mark.sign === '~' ? 'del' : count === 2 ? 'strong' : 'em';

/** Marks that found no partner become text, and neighbouring text becomes one. */
function joined(pieces: readonly Piece[]): Inline[] {
  const nodes: Inline[] = [];
  for (const piece of pieces) {
    const node: Inline = isMark(piece)
      ? { type: 'text', text: piece.sign.repeat(piece.count) }
      : piece;
    const last = nodes.at(-1);
    if (node.type === 'text' && last?.type === 'text')
      nodes[nodes.length - 1] = { type: 'text', text: last.text + node.text };
    else nodes.push(node);
  }
  return nodes;
}

const depthOf = (nodes: readonly Inline[]): number =>
  Math.max(0, ...nodes.map((node) => ('children' in node ? 1 + depthOf(node.children) : 0)));

const isMark = (piece: Piece): piece is Mark => 'sign' in piece;
