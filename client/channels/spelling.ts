/** How channel mentions look in a composer: `#name`, where the body has `<#id>`. */
import { channelMark, channelMarkOf } from '../../shared/mentions.ts';
import { outsideCode } from '../mentions/spelling.ts';

interface Named {
  id: string;
  name: string;
}

/** The written text as the body to send. If two channels share a name, the upper one is meant. */
export function channelsToBody(text: string, channels: readonly Named[]): string {
  if (!text.includes('#') || channels.length === 0) return text;
  const byName = new Map(channels.toReversed().map(({ id, name }) => [name, id]));
  const lengths = [...new Set([...byName.keys()].map(({ length }) => length))];
  lengths.sort((a, b) => b - a);
  return outsideCode(text, (part) => replaceNames(part, byName, lengths));
}

const wordEnd = /[\p{L}\p{N}_&/#]$/u;
const wordStart = /^[\p{L}\p{N}_-]/u;

function replaceNames(
  text: string,
  byName: ReadonlyMap<string, string>,
  lengths: readonly number[],
): string {
  const [before = '', ...parts] = text.split('#');
  const body = [before];
  for (const part of parts) {
    const last = body.at(-1)?.slice(-2) ?? '';
    const canBegin = !wordEnd.test(last) && !last.endsWith('<');
    const length = lengths.find(
      (length) =>
        byName.has(part.slice(0, length)) && !wordStart.test(part.slice(length, length + 2)),
    );
    const id = canBegin && length !== undefined ? byName.get(part.slice(0, length)) : undefined;
    body.push(id === undefined ? `#${part}` : channelMarkOf(id) + part.slice(length));
  }
  return body.join('');
}

/** A body as its author wrote it; an unknown channel, or one that shares its name, stays an id. */
export function channelsToText(body: string, channels: readonly Named[]): string {
  if (!body.includes('<#')) return body;
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const text = outsideCode(body, (part) =>
    part.replace(channelMark, (mark, id: string) => {
      const name = names.get(id.toLowerCase());
      return name === undefined ? mark : `#${name}`;
    }),
  );
  return channelsToBody(text, channels) === body ? text : body;
}
