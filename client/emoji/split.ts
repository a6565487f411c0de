/** Matches text that can be a server's own emoji, for example `:party:`. */
const sign = /((?<![\p{L}\p{N}:/]):[a-z0-9_]{2,32}:(?![\p{L}\p{N}]))/u;
/** Maximum of emoji drawn per message; the others stay text. Bounds the work of every reader. */
const maxDrawn = 100;

/** Splits each text of a message into plain text and emoji, alternately. */
export function splitSigns<T extends { text: string }>(texts: readonly T[]): Map<T, string[]> {
  let left = 2 * maxDrawn;
  return new Map(
    texts.map((one) => {
      const pieces = one.text.split(sign);
      const end = Math.min(left, pieces.length - 1);
      left -= end;
      return [one, [...pieces.slice(0, end), pieces.slice(end).join('')]];
    }),
  );
}
