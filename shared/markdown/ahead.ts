/**
 * Looks ahead in a text that is read from left to right. An answer holds until reading has passed it, so that
 * nothing is passed over twice, however many places ask: reading stays linear.
 */
export class Ahead {
  readonly #find: (from: number) => number;
  #from = 0;
  #found = -1;

  /** `find` answers with the first place from here on that is so, or the length of the text. */
  constructor(find: (from: number) => number) {
    this.#find = find;
  }

  from(place: number): number {
    if (place < this.#from || place > this.#found) {
      this.#from = place;
      this.#found = this.#find(place);
    }
    return this.#found;
  }
}

/** The first place from here on whose character is so, or the length of the text. */
export function nextWhere(text: string, from: number, isSo: (character: string) => boolean) {
  let at = from;
  while (at < text.length && !isSo(text.charAt(at))) at++;
  return at;
}

export const isSpace = (character: string) => /\s/.test(character);
