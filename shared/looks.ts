/**
 * What names that are taken for each other have in common, whatever their case and spaces. Other alphabets the
 * server has brought to what they look like: `skeleton` is better than a name.
 */
export const lookOf = (skeleton: string): string =>
  skeleton
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[i1|]/g, 'l')
    .replace(/0/g, 'o')
    .replace(/m/g, 'rn');
