/** A text that is read from left to right, with what was found ahead in it. */
import { Ahead, isSpace, nextWhere } from './ahead.ts';

export class MarkdownSource {
  readonly text: string;
  /** Where a masked address ends at the latest. */
  readonly addressEnd = new Ahead((from) =>
    nextWhere(this.text, from, (character) => isSpace(character) || /[<>]/.test(character)),
  );
  /** What is no space: before an address, and behind it. */
  readonly wordBefore = new Ahead((from) => this.#word(from));
  readonly wordBehind = new Ahead((from) => this.#word(from));
  #ticks: Map<number, number[]> | undefined;
  #closing: Map<number, number> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Where the next run of just so many backticks begins. Asked in ascending order. */
  ticks(from: number, count: number): number | undefined {
    const places = (this.#ticks ??= ticksIn(this.text)).get(count) ?? [];
    while ((places.at(-1) ?? from) < from) places.pop();
    return places.at(-1);
  }

  /** The index that closes the bracket or parenthesis at this index. */
  closing(at: number): number | undefined {
    return (this.#closing ??= closingIn(this.text)).get(at);
  }

  #word(from: number): number {
    return nextWhere(this.text, from, (character) => !isSpace(character));
  }
}

/** The runs of backticks by their length, the last of a text first. */
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

/** Maps each closed `[` and `(` to its partner. Escaped characters do not count. */
function closingIn(text: string): Map<number, number> {
  const found = new Map<number, number>();
  const open: Record<string, number[]> = { ']': [], ')': [] };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    else if (character === '[') open[']']?.push(at);
    else if (character === '(') open[')']?.push(at);
    const start = open[character]?.pop();
    if (start !== undefined) found.set(start, at);
  }
  return found;
}
