/** Reads the title, description and site from the head of an HTML page. */
import { Parser } from 'htmlparser2';

export interface Page {
  site: string;
  title: string;
  description?: string;
}

/** In characters. */
const longest = { site: 60, title: 200, description: 300 };

/** Undefined if the page has no title. `host` names the site if the page does not. */
export function readPage(html: string, host: string): Page | undefined {
  const found = readHead(html);
  const first = (longest: number, ...names: string[]) =>
    names.flatMap((name) => plain(found.get(name) ?? '', longest) || []).at(0);
  const title = first(longest.title, 'og:title', 'twitter:title', 'title');
  if (title === undefined) return undefined;
  const description = first(
    longest.description,
    'og:description',
    'twitter:description',
    'description',
  );
  const site = first(longest.site, 'og:site_name') ?? plain(host.replace(/^www\./, ''), 100);
  return { site, title, ...(description !== undefined && { description }) };
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
