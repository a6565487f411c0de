/** Avatars, server icons and custom emoji: uploaded like every file, then assigned to their owner. */
import type { PicturePurpose } from '../../shared/files.ts';
import { notFound } from '../../shared/failure.ts';
import type { Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import { dropOne, dropOthers, dropOwned, own } from './store.ts';

export interface Owner {
  id: string;
  purpose: PicturePurpose;
}

/** Null removes the picture. @throws ChatError not_found, if the uploader has no such picture for this purpose */
export async function replacePicture(
  db: Db,
  { id: ownerId, purpose }: Owner,
  picture: { id: string; uploaderId: string } | null,
): Promise<void> {
  if (picture !== null) await ownPicture(db, { id: ownerId, purpose }, picture);
  await dropOthers(db, { ownerId, purpose }, picture?.id ?? null);
}

/** Adds one more picture. @throws ChatError not_found, if the uploader has no such picture */
export async function ownPicture(
  db: Db,
  { id: ownerId, purpose }: Owner,
  picture: { id: string; uploaderId: string },
): Promise<void> {
  if (!(await own(db, { ...picture, purpose }, ownerId))) throw notFound();
}

export const dropPicture = (db: Db, ownerId: string, id: string): Promise<void> =>
  dropOne(db, ownerId, id);

export const pictureEnding: Ending = {
  server: { end: ({ db }, serverId) => dropOwned(db, serverId) },
};
