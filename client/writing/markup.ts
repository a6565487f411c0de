/** Markup by keys: what a key makes of the text of a field. Pure, so that it can be tried without one. */

/** A text and what is selected in it. */
export interface Field {
  text: string;
  from: number;
  to: number;
}

/** What takes the place of a part of the text, and what is selected afterwards. */
export interface TextEdit extends Field {
  /** The part that is replaced. */
  start: number;
  end: number;
}

/** Puts a mark around what is selected, or takes it away where it stands already. */
export function wrap({ text, from, to }: Field, mark: string): TextEdit {
  const within = text.slice(from, to);
  const size = mark.length;
  const isAround =
    text.slice(from - size, from) === mark &&
    text.slice(to, to + size) === mark &&
    // The single sign beside a double one is half of that.
    (size > 1 || (text.charAt(from - 2) !== mark && text.charAt(to + 1) !== mark));
  return isAround
    ? {
        ...{ start: from - size, end: to + size, text: within },
        ...{ from: from - size, to: to - size },
      }
    : { start: from, end: to, text: mark + within + mark, from: from + size, to: to + size };
}

/** Makes a link of what is selected: its address is typed next, or its words where an address is selected. */
export function wrapLink({ text, from, to }: Field): TextEdit {
  const within = text.slice(from, to);
  const isAddress = /^https?:\/\/\S+$/.test(within);
  const at = isAddress ? from + 1 : from + within.length + 3;
  return {
    ...{ start: from, end: to, text: isAddress ? `[](${within})` : `[${within}]()` },
    ...{ from: at, to: at },
  };
}

/** Code within a line, or a block of it where several lines are selected. */
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

const marker = /^( {0,12})(?:([-*+]) (\[[ xX]\] )?|(\d{1,8})([.)]) |((?:> ?){1,5}))/;

/** A new line of a list or a quote begins as the last did; an empty one ends it. Undefined for other lines. */
export function newLine({ text, from, to }: Field): TextEdit | undefined {
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
