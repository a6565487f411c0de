/** Whom an address leads to, and whether somebody who reads the address sees it. */

export interface Host {
  /** As a browser understands it; in letters that are not ASCII only where they cannot mislead. */
  name: string;
  /** The address says it just so: no user's name stands before it, and no look-alike in it. */
  isPlain: boolean;
}

/** In characters: no host in DNS is longer, and punycode takes time that grows with the square of a label. */
const longest = 253;

/** The host of `http://` or `https://` and what stands between that and the path. */
export function readHost(scheme: string, authority: string): Host | undefined {
  const typed = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  const isAscii = nextOutside(typed) === typed.length;
  if (!isAscii && typed.length > longest) return undefined;
  const address = scheme + authority;
  if (!URL.canParse(address)) return undefined;
  const { host, hostname } = new URL(address);
  const isTrue = typed === host || withoutPort(typed) === hostname || (!isAscii && isClear(typed));
  const name = isTrue && !isAscii ? typed.normalize('NFC') : host;
  return { name, isPlain: isTrue && typed.length === authority.length };
}

function nextOutside(text: string): number {
  let at = 0;
  while (at < text.length && text.charCodeAt(at) < 128) at++;
  return at;
}

function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':');
  return colon < 0 || host.length - colon > 6 || !/^:\d*$/.test(host.slice(colon))
    ? host
    : host.slice(0, colon);
}

/** What may stand together in a label: one script, or those that one language is written in (UTS 39, 5.2). */
const japanese = 'Latin Han Hiragana Katakana';
const scripts = [
  ...['Latin', japanese, 'Latin Han Bopomofo', 'Latin Han Hangul'],
  ...'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi'.split(
    ' ',
  ),
  ...'Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai'.split(' '),
];
const clear = scripts.map((together) => {
  const letters = together.split(' ').map((script) => `\\p{scx=${script}}`);
  return new RegExp(`^(?:(?=[\\p{L}\\p{M}])[${letters.join('')}]|[0-9-])+$`, 'u');
});

/** Letters of other scripts that pass for Latin ones: a label of nothing else is a disguise. */
const disguise = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνρυωηοτ0-9-]+$/u;

const isClear = (host: string) =>
  withoutPort(host)
    .normalize('NFC')
    .split('.')
    .every(
      (label) =>
        label.length <= 63 && clear.some((all) => all.test(label)) && !disguise.test(label),
    );
