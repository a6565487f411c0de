/**
 * Returns a key that is equal for names that look alike, ignoring case and spaces. If a name has a `skeleton`, pass
 * that instead: in it the server has replaced letters of other alphabets by what they look like.
 */
export const lookOf = (skeleton: string): string =>
  skeleton
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[i1|]/g, 'l')
    .replace(/0/g, 'o')
    .replace(/m/g, 'rn');
