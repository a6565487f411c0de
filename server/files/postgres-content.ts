/** Bytes of files in the database, so that every node has them, and they are in the one backup. */
import { named, query, type Db } from '../database/database.ts';
import type { FileContent } from './content.ts';

/** Chunks that are read at a time. */
const step = 4;

export const postgresContent: FileContent = {
  async write(db, fileId, at, bytes) {
    await query(db, insert, [fileId, at, bytes]);
  },
  async *read(db, fileId, start, end) {
    for (let at = start; at < end;) {
      const chunks = await chunksFrom(db, fileId, at);
      for (const { begins, bytes } of chunks) {
        const piece = bytes.subarray(at - begins, end - begins);
        if (piece.length === 0) return;
        at += piece.length;
        yield piece;
      }
      if (chunks.length === 0 && at < end) throw new Error('a part of a file is missing');
    }
  },
  async remove(db, fileId) {
    await query(db, 'delete from file_chunks where file_id = $1', [fileId]);
  },
};

/** Sent again by another way, the bytes of one place are the same. */
const insert = named(
  `insert into file_chunks (file_id, at, bytes) values ($1, $2, $3)
   on conflict (file_id, at) do update set bytes = excluded.bytes`,
);

/** Some chunks, the first being the one with this byte. */
const chunksFrom = (db: Db, fileId: string, at: number) =>
  query<{ begins: number; bytes: Buffer }>(db, select, [fileId, at, step]);

const select = named(
  `select at as begins, bytes from file_chunks
   where file_id = $1 and at >= (select max(at) from file_chunks where file_id = $1 and at <= $2)
   order by at limit $3`,
);
