/** Previews of links as a part of messages: see messages/part.ts. They are added after the message is stored. */
import type { MessagePart, StoredHook } from '../messages/part.ts';
import { mayHaveLinks, previewedLinks, previewsIn } from './links.ts';
import { insertQueued } from './store.ts';

export const previewPart: MessagePart = {
  columns: { previews: { column: 'previews', type: 'jsonb' } },
  /** An edit drops the previews of links that are no longer in the text. */
  prepare: (_db, wordings) =>
    Promise.resolve(
      wordings.map(({ before, body }) => {
        if (before?.previews === undefined) return {};
        const previews = previewsIn(body, before.previews);
        return { previews: previews.length === 0 ? undefined : previews };
      }),
    ),
};

/** Queues messages with links. */
export const queuePreviews: StoredHook = async (db, { reworded, before }) => {
  const queued = reworded
    .filter(({ body }) => mayHaveLinks(body))
    .map(({ id }) => ({ messageId: id, former: previewedLinks(before.get(id)?.body ?? '') }));
  if (queued.length > 0) await insertQueued(db, queued);
};
