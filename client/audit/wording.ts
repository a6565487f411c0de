import type { Kind } from './kinds.ts';

export interface Wording {
  kind: Kind;
  /** The actor is `{actor}`, the other person `{person}`. */
  one: string;
  /** For several actions in one entry, which has only the first one’s detail. `{n}` is their number. */
  many: string;
  /** The same two without an actor. The default is an operator as the actor. */
  alone?: readonly [one: string, many: string];
}

/** `many` defaults to `one` followed by “{n} times”. */
export const worded = (
  kind: Kind,
  one: string,
  many = `${one} {n} times`,
  alone?: Wording['alone'],
): Wording => ({
  ...{ kind, one, many },
  ...(alone !== undefined && { alone }),
});
