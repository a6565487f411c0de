/** Reads the title, description, site and picture from the head of an HTML page. */
import { Parser } from 'htmlparser2';

export interface Page {
  site: string;
  title: string;
  description?: string;
  pictureAddress?: string;
}

/** In characters. An address of this length fits an index. A letter of most scripts takes six to nine characters. */
export const maxLengths = { site: 60, title: 200, description: 300, address: 2_000 };

/** Undefined if the page has no title. The host of `url` names the site if the page does not. */
export function readPage(html: string, url: URL): Page | undefined {
  const found = readHead(html);
  const first = (longest: number, ...names: string[]) =>
    names.flatMap((name) => plain(found.get(name) ?? '', longest) || []).at(0);
  const title = first(maxLengths.title, 'og:title', 'twitter:title', 'title');
  if (title === undefined) return undefined;
  const description = first(
    maxLengths.description,
    'og:description',
    'twitter:description',
    'description',
  );
  const site =
    first(maxLengths.site, 'og:site_name') ?? plain(url.hostname.replace(/^www\./, ''), 100);
  const pictureAddress = addressIn(found.get('og:image') ?? found.get('twitter:image') ?? '', url);
  return {
    ...{ site, title },
    ...(description !== undefined && { description }),
    ...(pictureAddress !== undefined && { pictureAddress }),
  };
}

function addressIn(text: string, base: URL): string | undefined {
  const address = text.trim();
  if (address === '' || !URL.canParse(address, base.href)) return undefined;
  const { href, protocol } = new URL(address, base);
  const isUsable = /^https?:$/.test(protocol) && href.length <= maxLengths.address;
  return isUsable ? href : undefined;
}

const ofHead = new Set([
  ...['html', 'head', 'title', 'meta', 'link', 'base'],
  ...['script', 'style', 'noscript', 'template'],
]);
const maxOpen = 20;

/** The first content of each `meta` element by its name, and of `title`. */
function readHead(html: string): Map<string, string> {
  const found = new Map<string, string>();
  let title: string | undefined;
  let open = 0;
  const note = (name: string, content: string) => {
    if (!found.has(name)) found.set(name, content);
  };
  const parser = new Parser({
    onopentag(tag, { property, name = property, content }) {
      // The head has ended. Elements of the body, such as SVG pictures, have titles of their own. The parser’s time grows
      // with the square of the open elements, so it stops at many.
      open += 1;
      if (!ofHead.has(tag) || open > maxOpen) parser.pause();
      else if (tag === 'title') title = '';
      if (tag === 'meta' && name !== undefined && content !== undefined)
        note((property ?? name).toLowerCase(), content);
    },
    ontext(text) {
      if (title !== undefined) title += text;
    },
    onclosetag(tag) {
      open -= 1;
      if (tag !== 'title' || title === undefined) return;
      note('title', title);
      title = undefined;
    },
  });
  parser.write(html);
  return found;
}

const unseen =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/gu;

/** Makes one line, removes invisible and direction-changing characters, limits stacked marks, and truncates. */
function plain(text: string, longest: number): string {
  const line = text
    .slice(0, 20 * longest)
    .replace(/\s+/g, ' ')
    .replace(unseen, '')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
    .trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest).join('').trimEnd()}…` : line;
}
