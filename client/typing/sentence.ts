interface Piece {
  text: string;
  isName: boolean;
}

const maxNamed = 4;
const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export function sentence(names: string[]): Piece[] {
  if (names.length === 0) return [];
  if (names.length > maxNamed) return [{ text: 'Several people are typing…', isName: false }];
  const pieces = list
    .formatToParts(names)
    .map(({ type, value }) => ({ text: value, isName: type === 'element' }));
  return [...pieces, { text: ` ${names.length === 1 ? 'is' : 'are'} typing…`, isName: false }];
}
