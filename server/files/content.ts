/** The bytes of a file: in the database during the upload, and afterwards there or in the object store. */
import { notFound } from '../../shared/failure.ts';
import type { Db } from '../database/database.ts';
import type { Context, Node } from '../caller.ts';
import { readChunks, removeChunks } from './chunks.ts';
import { fileDb } from './sharing.ts';
import { isStored, type StoredFile, type Superfluous } from './store.ts';
import { objectsOf } from './object-store.ts';

/** The file can move to the object store or be deleted while it is read. `sharer`: see sharing.ts. */
export async function* readContent(
  context: Context,
  sharer: string,
  { id, isMoved, object }: Pick<StoredFile, 'id' | 'isMoved' | 'object'>,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  const { node } = context;
  let at = start;
  if (!isMoved)
    for await (const piece of readChunks(fileDb(node, sharer), id, start, end)) {
      at += piece.length;
      yield piece;
    }
  if (at === end) return;
  if (!isMoved && !(await isStored(context.db, id))) throw notFound();
  const objects = objectsOf(node);
  if (objects === undefined)
    throw new Error('bytes of a file are missing, and no object store is configured');
  yield* objects.read(object, at, end);
}

/** Removes the bytes. If a move was begun they can be in both places, because a node can end during it. */
export async function removeContent(
  node: Node,
  db: Db,
  { id, isMoved, isMoving, object }: Superfluous,
): Promise<void> {
  await removeChunks(db, id);
  if (isMoved || isMoving) await objectsOf(node)?.remove(object);
}
