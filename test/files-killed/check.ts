import type { FileStore } from '../support/file-stores.ts';
import { slowness, until } from '../support/time.ts';
import type { Place } from './place.ts';
import type { UploadState, Sent } from './uploads.ts';

export type FileFinding =
  /** An upload does not end, although everything works again. */
  | 'stuck'
  /** An acknowledged file that a message names, or that is less than a day old, is missing or damaged. */
  | 'lost'
  /** A file can still be read or is stored, although its message is deleted or none named it for a day. */
  | 'kept'
  /** Bytes without a file are stored, or the counted usage is wrong. */
  | 'miscounted';

/** Returns true when `holds` becomes true within `seconds`; false after that, or when `holds` throws. */
export const comesToBe = (
  holds: () => boolean | Promise<boolean>,
  seconds: number,
): Promise<boolean> =>
  until(holds, undefined, seconds * 1_000 * slowness).then(
    () => true,
    () => false,
  );

interface Checked {
  place: Place;
  store: FileStore;
  cookie: string;
  sent: readonly Sent[];
  begin: () => Promise<string>;
  /** Seconds to wait until files are removed. */
  timeoutS: number;
}

export async function check({
  place,
  store,
  cookie,
  sent,
  begin,
  timeoutS,
}: Checked): Promise<FileFinding[]> {
  const findings: FileFinding[] = [];
  const of = (...fates: UploadState[]) => sent.filter(({ fate }) => fates.includes(fate));
  const read = async ({ id }: Sent) =>
    Promise.all(
      place.urls.map(async (url) => {
        const answer = await fetch(`${url}/files/${id}/notes.bin`, { headers: { cookie } });
        const body = await answer.arrayBuffer().catch(() => new ArrayBuffer());
        return { status: answer.status, bytes: Buffer.from(body) };
      }),
    );
  const expectWhole = async (files: readonly Sent[]) => {
    for (const file of files)
      for (const { status, bytes } of await read(file))
        if (status !== 200 || !bytes.equals(file.bytes)) findings.push('lost');
  };
  const stored = async () =>
    new Set((await place.query<{ id: string }>('select id from files')).map(({ id }) => id));
  const areGone = (ids: readonly string[]) =>
    comesToBe(async () => {
      const left = await stored();
      return ids.every((id) => !left.has(id));
    }, timeoutS);
  const idsOf = (...fates: UploadState[]) => of(...fates).map(({ id }) => id);
  const age = (hours: number) =>
    place.query(`update files set created_at = now() - $1 * interval '1 hour'`, [hours]);

  await expectWhole(of('named', 'finished'));
  // Ends the claims of killed nodes, which otherwise keep deleted files for minutes.
  await place.query('update files set moving_until = now() where moving_until is not null');
  for (const file of of('deleted'))
    for (const { status } of await read(file)) if (status !== 404) findings.push('kept');
  if (!(await areGone(idsOf('deleted')))) findings.push('kept');

  await age(23);
  // A file that is missing now was removed before its day was over.
  const kept = await stored();
  if (!idsOf('named', 'finished').every((id) => kept.has(id))) findings.push('lost');
  await age(25);
  if (!(await areGone(idsOf('finished')))) findings.push('kept');
  // When the sweep removes this newest upload, it has looked at all older ones.
  const last = await begin();
  await age(25);
  if (!(await areGone([last]))) findings.push('kept');
  await expectWhole(of('named'));

  const [count] = await place.query<{ used: number; size: number; lost: number }>(
    `select (select bytes from file_usage)::int as used, (select sum(size) from files)::int as size,
     (select count(*) from file_chunks where file_id not in (select id from files where moved_at is null))::int as lost`,
  );
  const size = of('named').reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (count?.used !== size || count.size !== size || count.lost !== 0) findings.push('miscounted');
  const sizes = await place.onDatabase((db) => store.sizes(db));
  if ([...sizes.keys()].sort().join() !== idsOf('named').sort().join()) findings.push('miscounted');
  return findings;
}
