/** Adds previews to messages, and removes them, with the files of their pictures. */
import { isDeepStrictEqual } from 'node:util';
import { forbidden, type ChatError } from '../../shared/failure.ts';
import type { Preview } from '../../shared/previews.ts';
import { dropPictures, namePictures } from '../files/files.ts';
import { picturesOf, previewsIn } from '../links/links.ts';
import type { PartFields, PartRequest, PartWriter } from '../messages/part.ts';
import { noteRemoved } from './store.ts';

/** Adds previews for the author, except of links that are no longer in the text. */
export const additionWriter: PartWriter<{ found: readonly Preview[] }> = {
  merges: false,
  // `see` is enough, because the author had the right to send. A bot’s scopes belong to its token, so they are unknown here.
  permissionFor: () => 'see',
  async write(db, asked) {
    const fields = changedBy(asked, (previews, { ask: { found }, message }) =>
      previewsIn(message.body, [...previews, ...found]),
    );
    const pictures = [...fields].flatMap(([messageId, { previews }]) =>
      picturesOf(previews).map((id) => ({ id, messageId })),
    );
    if (pictures.length > 0) await namePictures(db, pictures);
    return { refusals: new Map(), fields };
  },
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
    const pictures = removed.flatMap(({ message: { previews = [] }, ask }) =>
      picturesOf(previews.filter(({ link }) => link === ask.link)),
    );
    if (pictures.length > 0) await dropPictures(db, pictures);
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
