/** Stores the bytes of files in the database, so that every node has them and one backup includes them. */
import { named, query, type Db } from '../database/database.ts';

const step = 4;

export async function writeChunk(
  db: Db,
  fileId: string,
  at: number,
  bytes: Uint8Array,
): Promise<void> {
  await query(db, insert, [fileId, at, bytes]);
}

const insert = named(
  `insert into file_chunks (file_id, at, bytes) values ($1, $2, $3)
   on conflict (file_id, at) do update set bytes = excluded.bytes`,
);

/** Reads from `start` up to `end`, or up to the last stored byte. */
export async function* readChunks(
  db: Db,
  fileId: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const chunks = await chunksFrom(db, fileId, at);
    if (chunks.length === 0) return;
    for (const { begins, bytes } of chunks) {
      const piece = bytes.subarray(at - begins, end - begins);
      if (piece.length === 0) return;
      at += piece.length;
      yield piece;
    }
  }
}

/** @throws if fewer bytes are stored than the file's row says */
export async function* readWhole(db: Db, fileId: string, size: number): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of readChunks(db, fileId, 0, size)) {
    at += piece.length;
    yield piece;
  }
  if (at < size) throw new Error('bytes of a file are missing in the database');
}

const chunksFrom = (db: Db, fileId: string, at: number) =>
  query<{ begins: number; bytes: Buffer }>(db, select, [fileId, at, step]);

const select = named(
  `select at as begins, bytes from file_chunks
   where file_id = $1 and at >= (select max(at) from file_chunks where file_id = $1 and at <= $2)
   order by at limit $3`,
);

export async function removeChunks(db: Db, fileId: string): Promise<void> {
  await query(db, 'delete from file_chunks where file_id = $1', [fileId]);
}
