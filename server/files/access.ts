/** Access to files. A file that the caller cannot know of is answered as if it did not exist. */
import { forbidden, notFound } from '../../shared/failure.ts';
import { requirePerson } from '../people/people.ts';
import type { Db } from '../database/database.ts';
import { usableInvite } from '../invites/access.ts';
import { timelineFor } from '../messages/access.ts';
import { serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { findFile, isShown, type StoredFile } from './store.ts';

/** Finds the caller's own file, to upload it. @throws ChatError not_found */
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
 * Requires the present right to see the message, or the owner of the picture. Before anything uses the file, only its
 * uploader can read it.
 * @throws ChatError not_found
 */
export async function fileFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  fileId: string,
): Promise<StoredFile> {
  const file = await findFile(db, fileId);
  if (!file?.isFinished) throw notFound();
  const { uploaderId, timelineId, ownerId, messageId } = file;
  if (messageId === null && ownerId === null && uploaderId !== caller.user.id) throw notFound();
  if (ownerId !== null) await requireOwnerKnown(db, caller, file, ownerId);
  if (messageId === null || timelineId === null) return file;
  await timelineFor(db, caller, timelineId, 'see');
  if (!(await isShown(db, file))) throw notFound();
  return file;
}

async function requireOwnerKnown(
  db: Db,
  caller: Pick<Caller, 'user'>,
  { purpose, uploaderId }: StoredFile,
  ownerId: string,
): Promise<void> {
  if (purpose !== 'avatar') await serverFor(db, caller, ownerId, 'see');
  // The caller's own picture, or that of their bot, needs no check.
  else if (uploaderId !== caller.user.id) await requirePerson(db, caller.user, { userId: ownerId });
}

/** Finds the icon of the server that an invite leads to, for anyone with the code. @throws ChatError not_found */
export async function iconFor(db: Db, fileId: string, code: string): Promise<StoredFile> {
  const file = await findFile(db, fileId);
  if (file?.purpose !== 'icon' || file.ownerId !== (await usableInvite(db, code)).serverId)
    throw notFound();
  return file;
}

/**
 * Requires that the caller can send in the timeline. Avatars and icons are in no timeline; guests cannot have one.
 * @throws ChatError not_found, forbidden
 */
export async function requirePlace(caller: Caller, timelineId: string | null): Promise<void> {
  if (timelineId !== null) await timelineFor(caller.db, caller, timelineId, 'send');
  else if (caller.user.kind === 'guest')
    throw forbidden('Guests can’t have a picture. Create an account first.');
}
