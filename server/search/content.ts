import type { File } from '../../shared/files.ts';
import { foldText } from '../../shared/folding.ts';
import { limits } from '../../shared/limits.ts';
import { channelMark, mentionedIn, mentionMark } from '../../shared/mentions.ts';
import { hasKinds, type HasKind } from '../../shared/search-query.ts';

export interface Content {
  folded: string;
  /** Bits, one for each kind of `has:`. */
  has: number;
  mentions: string[];
}

const bitOf = (kind: HasKind) => 1 << hasKinds.indexOf(kind);
export const bitsOf = (kinds: readonly HasKind[]) =>
  kinds.reduce((bits, kind) => bits | bitOf(kind), 0);

/** Search covers only this many letters of a message, because some characters fold to several letters. */
const maxLetters = 2 * limits.body;

const link = /https?:\/\/[^\s<>]/i;
const code = /```|`[^`\n]+`/;

/** Leaves mentions out of the words: names change, and nobody searches for an id. */
export function contentOf(body: string, files: readonly File[] | null): Content {
  const words = body.includes('<')
    ? body.replace(mentionMark, ' ').replace(channelMark, ' ')
    : body;
  const kinds: HasKind[] = [];
  if (link.test(body)) kinds.push('link');
  if (code.test(body)) kinds.push('code');
  if (files !== null && files.length > 0) kinds.push('file');
  if (files?.some(({ type }) => type.startsWith('image/'))) kinds.push('image');
  return {
    folded: foldText(words).slice(0, maxLetters),
    has: bitsOf(kinds),
    mentions: mentionedIn(body),
  };
}
