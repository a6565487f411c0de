/** Finds the links of messages, and writes their previews. server/previews/ reads the pages. */
import { isDeepStrictEqual } from 'node:util';
import { forbidden, type ChatError } from '../../shared/failure.ts';
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import { linksIn } from '../../shared/markdown/tree.ts';
import type { Preview } from '../../shared/previews.ts';
import { quotas } from '../../shared/quotas.ts';
import type { PartFields, PartRequest, PartWriter } from '../messages/part.ts';
import { noteRemoved } from './store.ts';

/** A cheap check before parsing: false if the text can’t contain a link. */
export const mayHaveLinks = (body: string): boolean => body.includes('://');

/** The links of a text that can have a preview, each once. */
export function previewedLinks(body: string): string[] {
  if (!mayHaveLinks(body)) return [];
  const links = linksIn(readMarkdown(body)).filter((link) => link.length <= quotas.previewLink);
  return [...new Set(links)].slice(0, quotas.previewsPerMessage);
}

/** Those of the links of a text, in the order of the links. */
export const previewsIn = (body: string, previews: readonly Preview[]): Preview[] =>
  previewedLinks(body).flatMap((link) => previews.find((one) => one.link === link) ?? []);

/** Adds previews for the author, except of links that are no longer in the text. */
export const additionWriter: PartWriter<{ found: readonly Preview[] }> = {
  merges: false,
  // `see` is enough, because the author had the right to send. A bot’s scopes belong to its token, so they are unknown here.
  permissionFor: () => 'see',
  write: (_db, asked) =>
    Promise.resolve({
      refusals: new Map(),
      fields: changedBy(asked, (previews, { ask: { found }, message }) =>
        previewsIn(message.body, [...previews, ...found]),
      ),
    }),
};

export const removalWriter: PartWriter<{ link: string }> = {
  merges: false,
  permissionFor: () => 'see',
  async write(db, asked) {
    const refusals = new Map<number, ChatError>();
    for (const [i, { message, user }] of asked.entries())
      if (message.authorId !== user.id)
        refusals.set(i, forbidden('Only the author of a message can remove its previews.'));
    const allowed = asked.filter((_, i) => !refusals.has(i));
    const fields = changedBy(allowed, (previews, { ask }) =>
      previews.filter(({ link }) => link !== ask.link),
    );
    const removed = allowed.filter(({ message }) => fields.has(message.id));
    if (removed.length > 0)
      await noteRemoved(
        db,
        removed.map(({ message: { id }, ask: { link } }) => ({ messageId: id, link })),
      );
    return { refusals, fields };
  },
};

/** The changed fields. Each message has one request, because the writes do not merge. */
function changedBy<A>(
  asked: readonly PartRequest<A>[],
  change: (previews: readonly Preview[], request: PartRequest<A>) => Preview[],
): Map<string, PartFields> {
  const changed = asked.flatMap((request): [string, PartFields][] => {
    const { id, previews = [] } = request.message;
    const next = change(previews, request);
    if (isDeepStrictEqual(next, previews)) return [];
    return [[id, { previews: next.length === 0 ? undefined : next }]];
  });
  return new Map(changed);
}
