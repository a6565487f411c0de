/** How long the long proofs are: a short form of each runs with `npm test`, all of it with `npm run prove`. */
export const atLength = <T>(short: T, long: T): T =>
  process.env.TEST_LENGTH === 'proof' ? long : short;
