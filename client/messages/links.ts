/** Finds the addresses in plain text, without the punctuation that only happens to stand behind them. */

export interface Piece {
  text: string;
  href?: string;
}

const address = /https?:\/\/[^\s<>"\u2066-\u2069\u202a-\u202e]+/giu;
const trailing = /[.,:;!?'"’”»…、。，！？]$/u;
const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{', '）': '（', '」': '「' };

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(address)) {
    const link = withoutTail(match[0]);
    if (!URL.canParse(link)) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: link, href: link });
    end = match.index + link.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

function withoutTail(link: string): string {
  const last = link.at(-1) ?? '';
  const opener = pairs[last];
  const loose = opener ? count(link, last) > count(link, opener) : trailing.test(link);
  return loose ? withoutTail(link.slice(0, -1)) : link;
}

const count = (text: string, character: string) => text.split(character).length - 1;
