/** For comparisons that ignore accents and case. */
export const foldAccents = (text: string) =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
