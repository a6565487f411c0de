/**
 * What this device keeps between visits. It may be forbidden, full, or hold what another version of this page
 * wrote: whatever comes out is `unknown`, and what does not go in is done without.
 */
const root = 'parley.';

export function keep(key: string, value: unknown): void {
  attempt(() => localStorage.setItem(root + key, JSON.stringify(value)));
}

export const kept = (key: string): unknown =>
  parse(attempt(() => localStorage.getItem(root + key)) ?? null);

export function drop(key: string): void {
  attempt(() => localStorage.removeItem(root + key));
}

/** All keys that begin so. */
export const keysUnder = (start: string): string[] =>
  (attempt(() => Object.keys(localStorage)) ?? [])
    .filter((key) => key.startsWith(root + start))
    .map((key) => key.slice(root.length));

/** Calls back when another tab has kept something, or dropped it: then the value is `undefined`. */
export function whenKeptElsewhere(callback: (key: string, value: unknown) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key?.startsWith(root)) callback(key.slice(root.length), parse(newValue));
  });
}

/** What was found, if it is a record at all; its fields are as unknown as it was. */
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
