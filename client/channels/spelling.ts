/** Channel mentions in a composer: written as `#name`, sent as `<#id>`. */
import { channelMark, channelMarkOf } from '../../shared/mentions.ts';
import { replaceDrawn, type Candidate } from '../mentions/drawn.ts';

interface Named {
  id: string;
  name: string;
}

/** Converts the written text to the body to send. If two channels share a name, the upper one is meant. */
export function channelsToBody(text: string, channels: readonly Named[]): string {
  if (!text.includes('#') || channels.length === 0) return text;
  const byName = new Map(channels.toReversed().map(({ id, name }) => [name, id]));
  const lengths = [...new Set([...byName.keys()].map(({ length }) => length))];
  lengths.sort((a, b) => b - a);
  return replaceDrawn(text, namesIn(text, byName, lengths)).text;
}

const wordEnd = /[\p{L}\p{N}_&/#]$/u;
const wordStart = /^[\p{L}\p{N}_-]/u;

function namesIn(
  text: string,
  byName: ReadonlyMap<string, string>,
  lengths: readonly number[],
): Candidate[] {
  const found: Candidate[] = [];
  for (let at = text.indexOf('#'); at >= 0;) {
    const next = text.indexOf('#', at + 1);
    const part = text.slice(at + 1, next < 0 ? undefined : next);
    const length = lengths.find(
      (length) =>
        byName.has(part.slice(0, length)) && !wordStart.test(part.slice(length, length + 2)),
    );
    const id = length === undefined ? undefined : byName.get(part.slice(0, length));
    const before = found.at(-1)?.end === at ? '' : text.slice(Math.max(0, at - 2), at);
    if (length !== undefined && id !== undefined && !wordEnd.test(before) && !before.endsWith('<'))
      found.push({
        ...{ start: at, end: at + 1 + length, sign: '#' },
        instead: channelMarkOf(id),
      });
    at = next;
  }
  return found;
}

/** Converts a body to the text that its author wrote. An unknown channel, or one that shares its name, stays an id. */
export function channelsToText(body: string, channels: readonly Named[]): string {
  if (!body.includes('<#')) return body;
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const marks = [...body.matchAll(channelMark)].flatMap(({ 0: mark, 1: id = '', index }) => {
    const name = names.get(id.toLowerCase());
    return name === undefined
      ? []
      : [{ start: index, end: index + mark.length, sign: '#' as const, instead: `#${name}` }];
  });
  const { text } = replaceDrawn(body, marks);
  return channelsToBody(text, channels) === body ? text : body;
}
