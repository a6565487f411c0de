/** Addresses in text, without the punctuation that only happens to stand behind them. */

const address = /https?:\/\/[^\s<>"\u2066-\u2069\u202a-\u202e]+/iuy;
const trailing = /[.,:;!?'"*_~’”»…、。，！？]$/u;
const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{', '）': '（', '」': '「' };

/** The address that begins at this place. */
export function linkAt(text: string, at: number): string | undefined {
  if (/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return undefined;
  address.lastIndex = at;
  const link = withoutTail(address.exec(text)?.[0] ?? '');
  return hostOf(link) === undefined ? undefined : link;
}

/** Where a link leads, as a browser understands it. */
export function hostOf(link: string): string | undefined {
  return /^https?:\/\//i.test(link) && URL.canParse(link) ? new URL(link).host : undefined;
}

function withoutTail(link: string): string {
  let end = link;
  while (isLoose(end)) end = end.slice(0, -1);
  return end;
}

function isLoose(link: string): boolean {
  const last = link.at(-1) ?? '';
  const opener = pairs[last];
  return opener ? count(link, last) > count(link, opener) : trailing.test(link);
}

const count = (text: string, character: string) => text.split(character).length - 1;
