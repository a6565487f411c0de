/** A text that is read from left to right, with what was found ahead in it. */
import { Ahead, isSpace, nextWhere } from './ahead.ts';

export class MarkdownSource {
  readonly text: string;
  /** The bracket that ends the words of a link, or begins others. What stands behind a backslash is neither. */
  readonly bracket = new Ahead((from) => {
    const { text } = this;
    let at = from;
    while (at < text.length && text[at] !== '[' && text[at] !== ']')
      at += text[at] === '\\' ? 2 : 1;
    return Math.min(at, text.length);
  });
  /** Where a masked address ends at the latest. */
  readonly addressEnd = new Ahead((from) =>
    nextWhere(this.text, from, (character) => isSpace(character) || /[<>)]/.test(character)),
  );
  /** What is no space: before an address, and behind it. */
  readonly wordBefore = new Ahead((from) => this.#word(from));
  readonly wordBehind = new Ahead((from) => this.#word(from));
  #ticks: Map<number, number[]> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Where the next run of just so many backticks begins. Asked in ascending order. */
  ticks(from: number, count: number): number | undefined {
    const places = (this.#ticks ??= ticksIn(this.text)).get(count) ?? [];
    while ((places.at(-1) ?? from) < from) places.pop();
    return places.at(-1);
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
