/**
 * Avatars, server icons and custom emoji: uploaded like every file, then assigned to their owner. Pictures of link
 * previews: made by the node, as files of the message and its author.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { v7 } from 'uuid';
import { personIdOf, type Account } from '../../shared/accounts.ts';
import { notFound } from '../../shared/failure.ts';
import type { PicturePurpose } from '../../shared/files.ts';
import { transaction, type Db } from '../database/database.ts';
import type { Context, Node } from '../caller.ts';
import type { Ending } from '../endings.ts';
import { attempt } from '../node/attempt.ts';
import { perNode } from '../node/per-node.ts';
import { requireDay, reserveRoom } from './allowance.ts';
import { writeChunk } from './chunks.ts';
import { openPictures } from './pictures.ts';
import { fileDb } from './sharing.ts';
import { dropFiles, dropOne, dropOthers, dropOwned, nameFiles, own } from './store.ts';
import { isPicture, typeOf } from './types.ts';
import { insertMade } from './upload-store.ts';

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

/** In bytes. Most have less than half. */
const maxPreviewBytes = 30_000;

/** Apart from uploads, which never wait for previews. */
const previewPicturesOn = perNode(({ isPressed }: Node) => openPictures(isPressed, 1));

/**
 * Crops and scales a picture to a small square. Returns null if it can’t be read. `who` is its account in the queue of
 * pictures. Rejects when `stop` is aborted, or after failures that can be temporary.
 */
export async function makePreviewPicture(
  node: Node,
  who: string,
  bytes: Buffer,
  stop: AbortSignal,
): Promise<Buffer | null> {
  const type = typeOf(bytes);
  if (!isPicture(type)) return null;
  let made: Buffer | null = null;
  const sent = {
    type,
    maxBytes: maxPreviewBytes,
    purpose: 'preview',
    bytes: Readable.from([bytes]),
  } as const;
  await previewPicturesOn(node).remake(
    who,
    sent,
    async ({ size }, stream) => {
      made = await collect(stream, Math.min(size, maxPreviewBytes));
      if (made.length !== size) throw new Error('a preview picture differs from its expected size');
    },
    stop,
  );
  return made;
}

/** Stops after `maxBytes`, because the process of a picture may have been taken over. */
async function collect(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(pieces);
}

/**
 * Stores a preview picture in the timeline; `namePictures` assigns it to the message. It counts as an upload of the author,
 * so that links can’t fill the storage. Returns its id, or undefined if the author can’t upload it now. Not for guests.
 */
export async function storePreviewPicture(
  context: Context,
  author: Account,
  timelineId: string,
  bytes: Buffer,
): Promise<string | undefined> {
  const { node } = context;
  const id = v7();
  const sha256 = createHash('sha256').update(bytes).digest();
  // Only the uploads of guests count for an address.
  const uploader = { ...context, user: author, address: '' };
  const stored = await attempt(node, 'previews', () =>
    transaction(fileDb(node, personIdOf(author)), async (db) => {
      await insertMade(db, { id, uploaderId: author.id, timelineId, size: bytes.length, sha256 });
      await writeChunk(db, id, 0, bytes);
      await requireDay(uploader, db, bytes.length);
      await reserveRoom(uploader, db, bytes.length);
    }),
  );
  return stored.ok ? id : undefined;
}

/** In the transaction that stores the message. */
export const namePictures = (
  db: Db,
  pictures: readonly { id: string; messageId: string }[],
): Promise<void> => nameFiles(db, pictures);

export const dropPictures = (db: Db, ids: readonly string[]): Promise<void> => dropFiles(db, ids);
