/** Finds the marks that Markdown renders. A mark in code or after a backslash is not rendered. */
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import { marksIn } from '../../shared/markdown/tree.ts';

/** A range of a text: a mark, or a name that can become a mark. */
export interface Candidate {
  start: number;
  end: number;
  sign: '@' | '#';
  /** The replacement if the mark is rendered. */
  instead: string;
}

/** Replaces the candidates that are rendered as marks, and returns them. Expects candidates in ascending order. */
export function replaceDrawn<C extends Candidate>(
  text: string,
  candidates: readonly C[],
): { text: string; replaced: C[] } {
  if (candidates.length === 0) return { text, replaced: [] };
  const marked = spliced(text, candidates, ({ sign }, i) => `<${sign}${numbered(i)}>`);
  const { people, channels } = marksIn(readMarkdown(marked));
  const drawn = new Set([...people, ...channels]);
  const isDrawn = (i: number) => drawn.has(numbered(i));
  return {
    text: spliced(text, candidates, ({ start, end, instead }, i) =>
      isDrawn(i) ? instead : text.slice(start, end),
    ),
    replaced: candidates.filter((_, i) => isDrawn(i)),
  };
}

function spliced(
  text: string,
  candidates: readonly Candidate[],
  instead: (candidate: Candidate, i: number) => string,
): string {
  let [result, from] = ['', 0];
  candidates.forEach((candidate, i) => {
    result += text.slice(from, candidate.start) + instead(candidate, i);
    from = candidate.end;
  });
  return result + text.slice(from);
}

/** The placeholder id of a candidate: no user or channel has it. */
const numbered = (i: number) => `00000000-0000-0000-0000-${i.toString(16).padStart(12, '0')}`;
