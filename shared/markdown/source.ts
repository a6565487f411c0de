/** A text that is read from left to right, with the results of searches ahead in it. */
import { Ahead, isSpace, nextWhere } from './ahead.ts';

export class MarkdownSource {
  readonly text: string;
  /** The latest end of a masked address. */
  readonly addressEnd = new Ahead((from) =>
    nextWhere(this.text, from, (character) => isSpace(character) || /[<>]/.test(character)),
  );
  /** The next non-space, before an address and after it. */
  readonly wordBefore = new Ahead((from) => this.#word(from));
  readonly wordBehind = new Ahead((from) => this.#word(from));
  #ticks: Ticks | undefined;
  #closing: Map<number, number> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** See `Ticks.next`. */
  ticks(from: number, count: number): number | undefined {
    return (this.#ticks ??= new Ticks(this.text)).next(from, count);
  }

  closing(at: number): number | undefined {
    return (this.#closing ??= closingIn(this.text)).get(at);
  }

  #word(from: number): number {
    return nextWhere(this.text, from, (character) => !isSpace(character));
  }
}

class Ticks {
  readonly #places: Map<number, number[]>;

  constructor(text: string) {
    this.#places = ticksIn(text);
  }

  /** Returns the start of the next run of exactly `count` backticks. Call it with ascending `from`. */
  next(from: number, count: number): number | undefined {
    const places = this.#places.get(count) ?? [];
    while ((places.at(-1) ?? from) < from) places.pop();
    return places.at(-1);
  }
}

/** Returns the starts of the runs of backticks by their length, in descending order. */
function ticksIn(text: string): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let end = text.length; end > 0; end--) {
    let start = end;
    while (text[start - 1] === '`') start--;
    if (start === end) continue;
    const places = found.get(end - start) ?? [];
    places.push(start);
    found.set(end - start, places);
    end = start;
  }
  return found;
}

/** Maps each closed `[` and `(` to its partner. Escaped characters and those in code do not count. */
function closingIn(text: string): Map<number, number> {
  const ticks = new Ticks(text);
  const found = new Map<number, number>();
  const open: Record<string, number[]> = { ']': [], ')': [] };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    else if (character === '`') at = codeEnd(text, at, ticks);
    else if (character === '[') open[']']?.push(at);
    else if (character === '(') open[')']?.push(at);
    const start = open[character]?.pop();
    if (start !== undefined) found.set(start, at);
  }
  return found;
}

/** Returns the last index of the code that begins at `at`; if it is not closed, of the run of backticks. */
function codeEnd(text: string, at: number, ticks: Ticks): number {
  const start = nextWhere(text, at, (character) => character !== '`');
  const count = start - at;
  return (ticks.next(start, count) ?? at) + count - 1;
}
