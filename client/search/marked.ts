import { foldText } from '../../shared/folding.ts';
import { QueryProblem, readQuery } from '../../shared/search-query.ts';

export interface TextRun {
  text: string;
  marked: boolean;
}

export function wordsIn(text: string): readonly string[] {
  const query = readQuery(text);
  return query instanceof QueryProblem ? [] : query.words;
}

/** The number of characters shown before the first match, and in total. */
const room = { before: 60, all: 280 };

/** The text around the first match of these folded words, or its start; `before` characters precede the match. */
export function markWords(text: string, words: readonly string[], before = room.before): TextRun[] {
  const normal = text.normalize('NFC');
  const ranges = rangesOf(normal, words);
  const first = ranges[0]?.[0] ?? 0;
  const start = first <= 2 * before ? 0 : wordStart(normal, first - before);
  const end = Math.min(normal.length, start + room.all);
  const runs: TextRun[] = start > 0 ? [{ text: '…', marked: false }] : [];
  let at = start;
  for (const [from, to] of ranges) {
    if (from < at || from >= end) continue;
    if (from > at) runs.push({ text: normal.slice(at, from), marked: false });
    runs.push({ text: normal.slice(from, to), marked: true });
    at = to;
  }
  if (at < end) runs.push({ text: normal.slice(at, end), marked: false });
  if (Math.max(at, end) < normal.length) runs.push({ text: '…', marked: false });
  return runs;
}

function wordStart(text: string, near: number): number {
  const space = text.indexOf(' ', near);
  return space < 0 || space > near + 30 ? near : space + 1;
}

/** Sorted and not nested. Folds letter by letter, so that each match maps back to its original position. */
function rangesOf(text: string, words: readonly string[]): [from: number, to: number][] {
  let folded = '';
  const places: number[] = [];
  let at = 0;
  for (const letter of text) {
    const piece = foldText(letter);
    const added = piece === ' ' && folded.endsWith(' ') ? '' : piece;
    folded += added;
    places.push(...added.split('').map(() => at));
    at += letter.length;
  }
  places.push(text.length);
  const found: [number, number][] = [];
  for (const word of words)
    for (let i = folded.indexOf(word); i >= 0; i = folded.indexOf(word, i + word.length))
      found.push([places[i] ?? 0, places[i + word.length] ?? text.length]);
  found.sort(([a], [b]) => a - b);
  let end = 0;
  return found.filter(([from, to]) => {
    const isFree = from >= end;
    end = Math.max(end, to);
    return isFree;
  });
}
