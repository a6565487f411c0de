/** Pairs the marks of emphasis, inner ones first, each with the nearest that opens; the rest are text again. */
import type { Emphasis, Inline, PlainText } from './tree.ts';

export interface Delimiter {
  sign: '*' | '_' | '~';
  count: number;
  opens: boolean;
  closes: boolean;
}

type Piece = Inline | Delimiter;

/** A mark that may still find its partner, where it stands, and how deep what stands behind it is nested. */
interface Opener {
  mark: Delimiter;
  at: number;
  depth: number;
}

/** Nested deeper than this, marks are text. */
const deepest = 8;

export function resolveEmphasis(pieces: readonly Piece[]): Inline[] {
  const pairing = new Pairing();
  for (const piece of pieces) {
    if (isMark(piece)) pairing.mark({ ...piece });
    else pairing.push(piece, depthOf(piece));
  }
  return joined(pairing.pieces);
}

/**
 * What is asked of each mark is answered from the openers above the last that was asked in vain, so that a
 * thousand marks without a partner are not looked through a thousand times.
 */
class Pairing {
  readonly pieces: Piece[] = [];
  readonly #openers: Opener[] = [];
  /** By what a closing mark needs: how many openers, from the first, are known not to fit. */
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

  /** Puts what stands behind the nearest fitting opener into emphasis; answers whether there was one. */
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

  /** The nearest that fits. Those between are text now, and what stands behind them stands behind it. */
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

/** Marks that found no partner become text, and neighbouring text becomes one. */
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
