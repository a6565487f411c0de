/** Pictures of people and servers, and emoji: uploaded as every file is, then given to whom or what they show. */
import type { PicturePurpose } from '../../shared/files.ts';
import { notFound } from '../../shared/failure.ts';
import type { Db } from '../database/database.ts';
import { dropOne, dropOthers, dropOwned, own } from './store.ts';

export interface Owner {
  id: string;
  purpose: PicturePurpose;
}

/**
 * Gives somebody or something a picture that was uploaded for it, or none, in place of the one before.
 * @throws ChatError not_found, if the uploader has no such picture
 */
export async function replacePicture(
  db: Db,
  { id: ownerId, purpose }: Owner,
  picture: { id: string; uploaderId: string } | null,
): Promise<void> {
  if (picture !== null) await ownPicture(db, { id: ownerId, purpose }, picture);
  await dropOthers(db, { ownerId, purpose }, picture?.id ?? null);
}

/**
 * Gives something a picture beside those that it has.
 * @throws ChatError not_found, if the uploader has no such picture
 */
export async function ownPicture(
  db: Db,
  { id: ownerId, purpose }: Owner,
  picture: { id: string; uploaderId: string },
): Promise<void> {
  if (!(await own(db, { ...picture, purpose }, ownerId))) throw notFound();
}

export const dropPicture = (db: Db, ownerId: string, id: string): Promise<void> =>
  dropOne(db, ownerId, id);

/** Lets go of all pictures of what ends. */
export const dropPictures = (db: Db, ownerId: string): Promise<void> => dropOwned(db, ownerId);
