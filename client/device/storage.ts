/** Storage can be forbidden, full or of another version of the page: reads are `unknown`, failed writes are ignored. */
const root = 'parley.';

export function save(key: string, value: unknown): void {
  attempt(() => localStorage.setItem(root + key, JSON.stringify(value)));
}

export const load = (key: string): unknown =>
  parse(attempt(() => localStorage.getItem(root + key)) ?? null);

export function remove(key: string): void {
  attempt(() => localStorage.removeItem(root + key));
}

/** Used by session/last-seen.ts. */
export const lastSeenDatabase = 'parley.last-seen';

export function removeDatabase(name: string): void {
  attempt(() => indexedDB.deleteDatabase(name));
}

export const keysUnder = (start: string): string[] =>
  (attempt(() => Object.keys(localStorage)) ?? [])
    .filter((key) => key.startsWith(root + start))
    .map((key) => key.slice(root.length));

/** Calls back when another tab has saved or removed a value; a removed value is `undefined`. */
export function onSavedElsewhere(callback: (key: string, value: unknown) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key?.startsWith(root)) callback(key.slice(root.length), parse(newValue));
  });
}

/** The value as a record, empty if it is none. */
export const asRecord = (found: unknown): Partial<Record<string, unknown>> =>
  typeof found === 'object' && found !== null ? found : {};

function parse(text: string | null): unknown {
  return text === null ? undefined : attempt((): unknown => JSON.parse(text));
}

function attempt<T>(what: () => T): T | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}
