import type { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { Db } from '../database/database.ts';
import type { PartFields, PartOutcome, PartRequest, PartWriter } from './part.ts';
import type { Write } from './write.ts';

export async function writeParts(
  db: Db,
  batch: readonly Write[],
  stored: ReadonlyMap<string, Message>,
  isRefused: (place: number) => boolean,
): Promise<Required<PartOutcome>> {
  const asked = new Map<PartWriter, (PartRequest<unknown> & { place: number })[]>();
  for (const [place, write] of batch.entries()) {
    const message = stored.get(write.id);
    if (write.do !== 'part' || message === undefined || isRefused(place)) continue;
    const { part, ask, user } = write;
    asked.set(part, [...(asked.get(part) ?? []), { ask, user, message, place }]);
  }
  const refusals = new Map<number, ChatError>();
  const fields = new Map<string, PartFields>();
  const lines = new Map<number, PartFields>();
  for (const [part, all] of asked) {
    const outcome = await part.write(db, all);
    const placeOf = (i: number) => all[i]?.place ?? -1;
    for (const [i, refusal] of outcome.refusals) refusals.set(placeOf(i), refusal);
    for (const [id, changed] of outcome.fields) fields.set(id, changed);
    for (const [i, line] of outcome.lines ?? []) lines.set(placeOf(i), line);
  }
  return { refusals, fields, lines };
}
