/** The only way to a file. What somebody may not know of looks as if it did not exist. */
import { notFound } from '../../shared/failure.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import { timelineFor } from '../messages/access.ts';
import { findFile, isShown, type StoredFile } from './store.ts';

/**
 * One’s own, to upload it.
 * @throws ChatError not_found
 */
export async function uploadOf(
  db: Db,
  { user }: Pick<Caller, 'user'>,
  fileId: string,
): Promise<StoredFile> {
  const file = await findFile(db, fileId);
  if (file?.uploaderId !== user.id) throw notFound();
  return file;
}

/**
 * To read it: whoever sees the message that has it, as things are now; before one does, only its uploader.
 * @throws ChatError not_found
 */
export async function fileFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  fileId: string,
): Promise<StoredFile> {
  const file = await findFile(db, fileId);
  if (!file?.isFinished) throw notFound();
  if (file.messageId === null) {
    if (file.uploaderId !== caller.user.id) throw notFound();
    return file;
  }
  await timelineFor(db, caller, file.timelineId, 'see');
  if (!(await isShown(db, file))) throw notFound();
  return file;
}
