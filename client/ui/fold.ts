/** For comparing: accents and case make no difference to what is meant. */
export const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
