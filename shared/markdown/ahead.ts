/** Caches a search ahead until reading passes its result: no text is searched twice, so reading stays linear. */
export class Ahead {
  readonly #find: (from: number) => number;
  #from = 0;
  #found = -1;

  /** `find` returns the first matching index from `from` on, or the length of the text. */
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

export function nextWhere(text: string, from: number, isSo: (character: string) => boolean) {
  let at = from;
  while (at < text.length && !isSo(text.charAt(at))) at++;
  return at;
}

export const isSpace = (character: string) => /\s/.test(character);
