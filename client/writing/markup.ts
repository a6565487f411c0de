/** Computes how a key changes the text of a field. Pure, so that it can be tested without a field. */
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import type { MarkdownBlock } from '../../shared/markdown/tree.ts';

export interface Field {
  text: string;
  from: number;
  to: number;
}

/** A replacement for part of the text, and the selection afterwards. */
export interface TextEdit extends Field {
  start: number;
  end: number;
}

/** Puts a mark around the selection, or removes it if present. */
export function wrap({ text, from, to }: Field, mark: string): TextEdit {
  const within = text.slice(from, to);
  const size = mark.length;
  const isAround =
    text.slice(from - size, from) === mark &&
    text.slice(to, to + size) === mark &&
    // A single sign beside a double one is half of that.
    (size > 1 || (text.charAt(from - 2) !== mark && text.charAt(to + 1) !== mark));
  return isAround
    ? {
        ...{ start: from - size, end: to + size, text: within },
        ...{ from: from - size, to: to - size },
      }
    : { start: from, end: to, text: mark + within + mark, from: from + size, to: to + size };
}

/** Makes the selection a link. The user types its address next, or its text if an address is selected. */
export function wrapLink({ text, from, to }: Field): TextEdit {
  const within = text.slice(from, to);
  const isAddress = /^https?:\/\/\S+$/.test(within);
  const at = isAddress ? from + 1 : from + within.length + 3;
  return {
    ...{ start: from, end: to, text: isAddress ? `[](${within})` : `[${within}]()` },
    ...{ from: at, to: at },
  };
}

export function wrapCode(field: Field): TextEdit {
  const within = field.text.slice(field.from, field.to);
  if (!within.includes('\n')) return wrap(field, '`');
  const before = field.from === 0 || field.text[field.from - 1] === '\n' ? '' : '\n';
  const opening = `${before}\`\`\`\n`;
  const start = field.from + opening.length;
  return {
    ...{ start: field.from, end: field.to, text: `${opening}${within}\n\`\`\`` },
    ...{ from: start, to: start + within.length },
  };
}

/** The quote marks and indentation of the next line if the text ends in an unclosed code block. */
export function codeIndent(text: string): string | undefined {
  if (!text.includes('```')) return undefined;
  const fences = text.split('\n').filter((line) => line.includes('```'));
  // The code can contain fences too, so any of the last ones can be the opening fence.
  const indents = new Set(fences.slice(-maxFences).toReversed().map(indentOf));
  return [...indents].find((indent) => isCode(readMarkdown(`${text}\n${indent}x`).at(-1)));
}

const maxFences = 8;

/** The start of a line, with list markers as spaces. */
const indentOf = (line: string): string =>
  (lineStart.exec(line)?.[0] ?? '').replace(/[^>\s]/g, ' ');

const lineStart = /^(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;

/** True if the probe at the end of a text is in a code block. */
function isCode(last: MarkdownBlock | undefined): boolean {
  if (last?.type === 'code') return /(?:^|\n)x$/.test(last.text);
  if (last?.type === 'quote') return isCode(last.children.at(-1));
  return last?.type === 'list' && isCode(last.items.at(-1)?.blocks.at(-1));
}

/** After `newLine` has inserted a list marker, a typed one replaces it. Undefined for other lines. */
export function markerTwice({ text, from, to }: Field): TextEdit | undefined {
  const begins = text.lastIndexOf('\n', from - 1) + 1;
  const [, indent, put, typed] = twice.exec(text.slice(begins, from)) ?? [];
  const isAfterItem = marker.test(text.slice(text.lastIndexOf('\n', begins - 2) + 1, begins));
  if (begins === 0 || !isAfterItem || !typed || isNumber(typed) !== isNumber(put ?? ''))
    return undefined;
  const line = `${indent}${typed} `;
  return {
    start: begins,
    end: to,
    text: line,
    from: begins + line.length,
    to: begins + line.length,
  };
}

const twice = /^( {0,12})([-*+]|\d{1,8}[.)]) ([-*+]|\d{1,8}[.)])$/;

const isNumber = (sign: string) => /^\d/.test(sign);

const marker = /^( {0,12})(?:([-*+]) (\[[ xX]\] )?|(\d{1,8})([.)]) |((?:> ?){1,5}))/;

/** Continues the list, quote or code block of the previous line; an empty item ends it. Undefined for other lines. */
export function newLine({ text, from, to }: Field): TextEdit | undefined {
  const code = codeIndent(text.slice(0, from));
  if (code !== undefined) {
    const at = from + 1 + code.length;
    return { start: from, end: to, text: `\n${code}`, from: at, to: at };
  }
  const begins = text.lastIndexOf('\n', from - 1) + 1;
  const line = text.slice(begins, from);
  const [found, indent = '', bullet, task, number, after = '', quote] = marker.exec(line) ?? [];
  if (found === undefined || from < begins + found.length) return undefined;
  if (line.trim() === found.trim())
    return { start: begins, end: to, text: '', from: begins, to: begins };
  const next =
    quote ??
    (bullet === undefined
      ? `${Number(number) + 1}${after} `
      : `${bullet} ${task === undefined ? '' : '[ ] '}`);
  const put = `\n${indent}${next}`;
  return { start: from, end: to, text: put, from: from + put.length, to: from + put.length };
}
