/** The host that an address leads to, and whether a reader of the address sees it. */

export interface Host {
  /** As a browser understands it. Non-ASCII letters are kept only where they cannot mislead. */
  name: string;
  /** The address shows exactly this host, without a user name before it or look-alikes in it. */
  isPlain: boolean;
}

/** In characters. No host in DNS is longer, and punycode takes time that grows with the square of a label. */
const longest = 253;

/** Returns the host of `http://` or `https://` and the text between that and the path. */
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

/** Scripts that can be mixed in a label: one script, or those of one language (UTS 39, 5.2). */
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

/** Letters of other scripts that look Latin: a label of only these is a disguise. */
const disguise = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνρυωηοτ0-9-]+$/u;

const isClear = (host: string) =>
  withoutPort(host)
    .normalize('NFC')
    .split('.')
    .every(
      (label) =>
        label.length <= 63 && clear.some((all) => all.test(label)) && !disguise.test(label),
    );
