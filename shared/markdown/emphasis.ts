/** Pairs emphasis marks, inner ones first, each with the nearest matching opener. The rest become text. */
import type { Emphasis, Inline, PlainText } from './tree.ts';

export interface Delimiter {
  sign: '*' | '_' | '~';
  count: number;
  opens: boolean;
  closes: boolean;
}

type Piece = Inline | Delimiter;

/** An opening mark without a partner so far, its index in `pieces`, and the nesting depth of the pieces after it. */
interface Opener {
  mark: Delimiter;
  at: number;
  depth: number;
}

/** Marks nested deeper are text. */
const deepest = 8;

export function resolveEmphasis(pieces: readonly Piece[]): Inline[] {
  const pairing = new Pairing();
  for (const piece of pieces) {
    if (isMark(piece)) pairing.mark({ ...piece });
    else pairing.push(piece, depthOf(piece));
  }
  return joined(pairing.pieces);
}

/** Remembers openers that a search rejected, so that a thousand unpaired marks are not searched again and again. */
class Pairing {
  readonly pieces: Piece[] = [];
  readonly #openers: Opener[] = [];
  /** By the need of a closing mark: how many of the first openers are known not to fit. */
  readonly #vain = new Map<string, number>();

  push(piece: Piece, depth: number) {
    this.pieces.push(piece);
    const last = this.#openers.at(-1);
    if (last) last.depth = Math.max(last.depth, depth);
  }

  mark(mark: Delimiter) {
    while (mark.closes && mark.count > 0 && this.#close(mark));
    if (mark.count === 0) return;
    if (mark.opens) this.#openers.push({ mark, at: this.pieces.length, depth: 0 });
    this.pieces.push(mark);
  }

  /** Wraps the pieces after the nearest matching opener in emphasis. False without one, or if it is too deep. */
  #close(mark: Delimiter): boolean {
    const opener = this.#opener(mark);
    if (!opener || opener.depth >= deepest) return false;
    const count = Math.min(opener.mark.count, mark.count, 2);
    const children = joined(this.pieces.splice(opener.at + 1));
    opener.mark.count -= count;
    mark.count -= count;
    const depth = opener.depth + 1;
    opener.depth = 0;
    if (opener.mark.count === 0) {
      this.#openers.pop();
      this.pieces.pop();
    }
    this.push({ type: kindOf(mark, count), children }, depth);
    return true;
  }

  /** Returns the nearest matching opener. Openers after it become text, and it takes over their depths. */
  #opener(mark: Delimiter): Opener | undefined {
    const need = `${mark.sign}${mark.opens}${mark.count % 3}${mark.count === 2}`;
    const known = Math.min(this.#vain.get(need) ?? 0, this.#openers.length);
    let at = this.#openers.length - 1;
    while (at >= known && !this.#fits(at, mark)) at--;
    if (at < known) {
      this.#vain.set(need, this.#openers.length);
      return undefined;
    }
    const [opener, ...between] = this.#openers.splice(at);
    if (!opener) return undefined;
    for (const [other, count] of this.#vain) this.#vain.set(other, Math.min(count, at));
    for (const { depth } of between) opener.depth = Math.max(opener.depth, depth);
    this.#openers.push(opener);
    return opener;
  }

  #fits(at: number, mark: Delimiter): boolean {
    const opener = this.#openers[at];
    return opener !== undefined && opensFor(opener.mark, mark);
  }
}

/**
 * Pairs `~` only as `~~`. If one of the two can both open and close, they do not pair when their lengths add up to a
 * multiple of three, unless both lengths are multiples of three (CommonMark, rules 9 and 10).
 */
const opensFor = (opener: Delimiter, closer: Delimiter) =>
  opener.sign === closer.sign &&
  (closer.sign !== '~' || (opener.count === 2 && closer.count === 2)) &&
  !(
    (opener.closes || closer.opens) &&
    opener.count % 3 !== 0 &&
    (opener.count + closer.count) % 3 === 0
  );

const kindOf = (mark: Delimiter, count: number): Emphasis =>
  mark.sign === '~' ? 'del' : count === 2 ? 'strong' : 'em';

/** Turns unpaired marks into text, and joins adjacent texts. */
function joined(pieces: readonly Piece[]): Inline[] {
  const nodes: Inline[] = [];
  for (const piece of pieces) {
    const node: Inline = isMark(piece)
      ? { type: 'text', text: piece.sign.repeat(piece.count) }
      : piece;
    const last = nodes.at(-1);
    if (isJoinable(node) && last && isJoinable(last))
      nodes[nodes.length - 1] = { type: 'text', text: last.text + node.text };
    else nodes.push(node);
  }
  return nodes;
}

const isJoinable = (node: Inline): node is PlainText => node.type === 'text' && !node.escaped;

const depthOf = (node: Inline): number =>
  'children' in node
    ? 1 + node.children.reduce((deepest, child) => Math.max(deepest, depthOf(child)), 0)
    : 0;

const isMark = (piece: Piece): piece is Delimiter => 'sign' in piece;
