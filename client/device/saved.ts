/**
 * Text that the user typed and the server does not have: saved on this device, for this user only, and shared by all
 * tabs. Each item has its own key, so that tabs do not overwrite one another.
 */
import { SvelteMap } from 'svelte/reactivity';
import { keysUnder, load, onSavedElsewhere, remove, removeDatabase, save } from './storage.ts';

interface Owned {
  load(): void;
  removeAll(): void;
}
const all = new Set<Owned>();
let author: string | undefined;

export class SavedMap<T> {
  readonly #kind: string;
  readonly #read: (found: unknown) => T | undefined;
  readonly #held = new SvelteMap<string, T>();

  /** `read` returns `undefined` for values that it does not understand. */
  constructor(kind: string, read: (found: unknown) => T | undefined) {
    this.#kind = kind;
    this.#read = read;
    all.add(this);
    this.load();
    onSavedElsewhere((key, value) => {
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
    if (author) save(this.#place + id, value);
  }

  delete(id: string) {
    this.#held.delete(id);
    if (author) remove(this.#place + id);
  }

  /** Removes one user's data from memory before it loads the next user's. */
  load() {
    this.#held.clear();
    if (author) for (const key of keysUnder(this.#place)) this.#take(key, load(key));
  }

  removeAll() {
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

/** `undefined` if no user is signed in. */
export function openFor(userId: string | undefined): void {
  if (userId === author) return;
  author = userId;
  for (const map of all) map.load();
}

export function removeEverything(): void {
  for (const map of all) map.removeAll();
  // The database of blobs.ts.
  removeDatabase('parley');
}
