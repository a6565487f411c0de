import { limits } from '../../shared/limits.ts';

/** Letters that do not decompose into a letter and a mark. */
const plain: Partial<Record<string, string>> = {
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
};

/** A username made from a name: “Zoë van Dam” gives zoe.van.dam. Empty if too little is left. */
export function usernameLike(name: string): string {
  const letters = name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  const like = letters
    .replace(/[^a-z0-9]/g, (letter) => plain[letter] ?? '.')
    .replace(/\.+/g, '.')
    .replace(/^\./, '')
    .slice(0, limits.username)
    .replace(/\.$/, '');
  return like.length < limits.usernameMin ? '' : like;
}
