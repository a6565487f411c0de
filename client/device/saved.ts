/**
 * What somebody typed and the server does not have: on this device, for its author alone, the same in all
 * tabs. Each thing has a key of its own, so that tabs do not write over one another.
 */
import { SvelteMap } from 'svelte/reactivity';
import { drop, keep, kept, keysUnder, whenKeptElsewhere } from './storage.ts';

interface Owned {
  load(): void;
  erase(): void;
}
const all = new Set<Owned>();
/** Whoever is signed in. */
let author: string | undefined;

export class Kept<T> {
  readonly #kind: string;
  readonly #read: (found: unknown) => T | undefined;
  readonly #held = new SvelteMap<string, T>();

  /** `read` answers `undefined` to what it does not understand. */
  constructor(kind: string, read: (found: unknown) => T | undefined) {
    this.#kind = kind;
    this.#read = read;
    all.add(this);
    this.load();
    whenKeptElsewhere((key, value) => {
      if (key.startsWith(this.#place)) this.#take(key, value);
    });
  }

  get(id: string): T | undefined {
    return this.#held.get(id);
  }

  get entries(): [id: string, value: T][] {
    return [...this.#held];
  }

  set(id: string, value: T) {
    this.#held.set(id, value);
    if (author) keep(this.#place + id, value);
  }

  delete(id: string) {
    this.#held.delete(id);
    if (author) drop(this.#place + id);
  }

  /** Nothing of one author is left in memory for the next. */
  load() {
    this.#held.clear();
    if (author) for (const key of keysUnder(this.#place)) this.#take(key, kept(key));
  }

  erase() {
    for (const [id] of this.entries) this.delete(id);
  }

  get #place() {
    return `${this.#kind}.${author ?? ''}.`;
  }

  #take(key: string, found: unknown) {
    const id = key.slice(this.#place.length);
    const value = found === undefined ? undefined : this.#read(found);
    if (value === undefined) this.#held.delete(id);
    else this.#held.set(id, value);
  }
}

/** `undefined` is nobody. */
export function keepFor(whom: string | undefined): void {
  if (whom === author) return;
  author = whom;
  for (const kept of all) kept.load();
}

/** Its author signs out: what is left of it on this device goes too. */
export function eraseKept(): void {
  for (const kept of all) kept.erase();
}
