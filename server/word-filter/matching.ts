/**
 * Finds the entries of a word filter in a text. The cost grows with the length of the text and of the entries, not with
 * the number of entries, except for those in scripts without spaces.
 */
import { foldText } from '../../shared/folding.ts';
import { channelMark, mentionMark } from '../../shared/mentions.ts';

/** Returns the entry that the text matches, or undefined. */
export type Matcher = (text: string) => string | undefined;

/** A tree of the entries, word by word. */
interface Step {
  next?: Map<string, Step>;
  /** The entry that ends here. */
  entry?: string;
  /** Entries with a `*`, whose last word comes next: by the length of that word, then by the word. */
  open?: Map<number, Map<string, string>>;
}

/** Scripts that do not put spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const markup = /[*_~|`]/g;
/** Marks that fit letters of any script, besides the accents that `foldText` removes. */
const marks = /[\p{Me}\p{Script=Inherited}]/gu;

const folded = (text: string) => foldText(text).replace(marks, '');
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

export function matcherOf(entries: readonly string[]): Matcher {
  const root: Step = {};
  const anywhere: { entry: string; text: string }[] = [];
  for (const entry of entries) {
    const words = wordsOf(folded(entry.replace(markup, '')));
    const text = words.join('');
    if (unspaced.test(text)) anywhere.push({ entry, text });
    else addTo(root, words, entry);
  }

  return (text) => {
    // Ids of people and channels are not words of the author.
    const said = folded(text.replace(mentionMark, ' ').replace(channelMark, ' '));
    // Searches again without markup, because it can hide a word: d**ar**n.
    const plain = said.replace(markup, '');
    const found = findIn(root, wordsOf(said));
    if (found !== undefined || plain === said) return found ?? findAnywhere(plain);
    return findIn(root, wordsOf(plain)) ?? findAnywhere(plain);
  };

  function findAnywhere(plain: string): string | undefined {
    if (anywhere.length === 0) return undefined;
    const joined = wordsOf(plain).join('');
    return anywhere.find((one) => joined.includes(one.text))?.entry;
  }
}

function addTo(root: Step, words: string[], entry: string): void {
  let step = root;
  const isOpen = entry.endsWith('*');
  for (const word of isOpen ? words.slice(0, -1) : words) {
    step.next ??= new Map();
    const next = step.next.get(word) ?? {};
    step.next.set(word, next);
    step = next;
  }
  const last = words.at(-1);
  if (last === undefined) return;
  if (!isOpen) {
    step.entry = entry;
    return;
  }
  step.open ??= new Map();
  const alike = step.open.get(last.length) ?? new Map<string, string>();
  step.open.set(last.length, alike.set(last, entry));
}

function findIn(root: Step, words: string[]): string | undefined {
  for (let start = 0; start < words.length; start += 1) {
    let step: Step | undefined = root;
    for (let i = start; step !== undefined && i < words.length; i += 1) {
      const word = words[i] ?? '';
      for (const [length, entries] of step.open ?? []) {
        const entry = length <= word.length ? entries.get(word.slice(0, length)) : undefined;
        if (entry !== undefined) return entry;
      }
      step = step.next?.get(word);
      if (step?.entry !== undefined) return step.entry;
    }
  }
  return undefined;
}
