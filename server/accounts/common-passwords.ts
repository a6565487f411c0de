import { dictionary } from '@zxcvbn-ts/language-common';
import { limits } from '../../shared/limits.ts';
import { ChatError } from '../../shared/failure.ts';

/** The 18,000 most common passwords that are long enough. */
const common = new Set(
  dictionary['passwords-common'].filter((word) => word.length >= limits.passwordMin),
);

/** Rejects passwords that attackers try first. @throws ChatError invalid, naming the input’s field */
export function requireUncommon(password: string, username: string, field: string): void {
  const text = password.normalize('NFKC').toLowerCase();
  if (common.has(text) || isRepeated(text) || isSequence(text) || isMostly(text, username))
    throw new ChatError(
      'invalid',
      'This password is too easy to guess. Pick a less common one; a short sentence works well.',
      { field },
    );
}

/** `aaaaaaaa`, `12341234` */
const isRepeated = (text: string) => /^(.{1,4})\1+$/u.test(text);

/** `abcdefgh`, `98765432` */
function isSequence(text: string): boolean {
  const codes = [...text].map((char) => char.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, i) => code - (codes[i] ?? 0)));
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}

const isMostly = (text: string, username: string) => text.replaceAll(username, '').length < 4;
