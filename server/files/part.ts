/** Files as a part of messages: see messages/part.ts. A row has the description of its files; GET reads their bytes. */
import { invalid, type ChatError } from '../../shared/failure.ts';
import type { File } from '../../shared/files.ts';
import { picturesOf } from '../links/links.ts';
import type { MessagePart, PartFields, Wording } from '../messages/part.ts';
import {
  asFile,
  dropFiles,
  dropFilesOf,
  dropSome,
  lockFinished,
  nameFiles,
  type StoredFile,
} from './store.ts';

export const filePart: MessagePart = {
  columns: { files: { column: 'files', type: 'jsonb' } },
  async prepare(db, wordings) {
    const asked = wordings.flatMap(({ ask, user }) =>
      (ask.files ?? []).map(({ id }) => ({ id, uploaderId: user.id })),
    );
    if (asked.length === 0) return [];
    const stored = await lockFinished(db, asked);
    const taken = new Set<string>();
    return wordings.map((wording) => fieldsOf(wording, stored, taken));
  },
  async stored(db, { added, deleted, reworded, before }) {
    const files = added.flatMap(({ id: messageId, fields }) =>
      (fields.files ?? []).map(({ id }) => ({ id, messageId })),
    );
    if (files.length > 0) await nameFiles(db, files);
    const bereft = deleted.filter((message) => message.files !== undefined);
    if (bereft.length > 0)
      await dropFilesOf(
        db,
        bereft.map(({ id }) => id),
      );
    // An edit drops the pictures of previews whose links are no longer in the text.
    const removedPictures = reworded.flatMap(({ id, fields: { previews } }) => {
      const kept = picturesOf(previews);
      return picturesOf(before.get(id)?.previews).filter((one) => !kept.includes(one));
    });
    if (removedPictures.length > 0) await dropFiles(db, removedPictures);
  },
  sweep: dropSome,
};

/**
 * Returns the files of a message. Refuses it unless all are finished, the sender's, of this timeline, and in no other
 * message. `taken` has those that messages of this batch use.
 */
function fieldsOf(
  { id: messageId, timelineId, user, ask }: Wording,
  stored: ReadonlyMap<string, StoredFile>,
  taken: Set<string>,
): PartFields | ChatError {
  if (ask.files === undefined || ask.files.length === 0) return {};
  const files: File[] = [];
  for (const { id, alt } of ask.files) {
    const file = stored.get(id);
    const isTheirs = file?.uploaderId === user.id && file.timelineId === timelineId;
    const isFree = (file?.messageId ?? messageId) === messageId && !taken.has(id);
    if (!file?.isFinished || !isTheirs || !isFree)
      return invalid('One of these files is no longer there. Upload it again.', 'files');
    taken.add(id);
    files.push({ ...asFile(file), ...(alt !== undefined && alt !== '' && { alt }) });
  }
  return { files };
}
