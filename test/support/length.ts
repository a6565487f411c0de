/** Returns the first values of a list with `npm test`, and all of them with `npm run prove`. */
export const firstAtLength = <const T>(all: readonly T[], count = 1): readonly T[] =>
  all.slice(0, atLength(count, all.length));

/** Returns the short form of a law with `npm test`, and the long one with `npm run prove`. */
export const atLength = <T>(short: T, long: T): T =>
  process.env.TEST_LENGTH === 'proof' ? long : short;

/** A test of `npm run prove` only. */
export const itAtLength = (title: string, run: Mocha.AsyncFunc): void => {
  if (process.env.TEST_LENGTH === 'proof') it(title, run);
};
