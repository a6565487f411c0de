/**
 * Splits rooms that do not fit one answer, by slice and a key that never changes, so that each row is in one part. No
 * state is kept between parts: clients receive changes since the first, and keep the newer version of a row.
 */
import type { z } from 'zod';
import { rows as schemas, type Row } from '../../shared/changes.ts';
import type { RoomState } from '../../shared/entry.ts';
import { invalid } from '../../shared/failure.ts';
import type { People } from '../../shared/people.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { roomSlices, sliceKeys, type RoomKind, type SliceName } from '../../shared/rooms.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { budget, fitting } from './fitting.ts';
import { jsonBytes } from './json-bytes.ts';
import type { RoomFeatures } from './room-features.ts';

const step = 200;
/** A lower bound of the bytes that one person takes in an answer. */
const leastPerson = 110;

export interface AnswerPart {
  state: RoomState;
  people: People;
  /** The last row of this part, if there are more rows. */
  more?: string;
}

interface Wanted {
  kind: RoomKind;
  id: string;
  after?: string | undefined;
}

type Readers = Pick<RoomFeatures, 'loadSlice' | 'changesSince' | 'people'>;

export async function readPart(db: Db, features: Readers, wanted: Wanted): Promise<AnswerPart> {
  const { kind } = wanted;
  const { found, isAll } = await readRows(db, features, wanted);
  const rows = found.map(({ row }) => row);
  const ids = new Map(found.map(({ row, personIds }) => [row, personIds]));
  const personIds = (row: Row) => ids.get(row) ?? [];
  const people = await features.people.mentioned(db, rows, personIds);
  // A room with a history has only one part: its newest rows.
  if (features.changesSince[kind]) return { state: stateOf(kind, found), people };
  const { fit, named } = fitting(rows, people, personIds);
  const last = found[fit - 1];
  const state = stateOf(kind, found.slice(0, fit));
  if (last === undefined || (isAll && fit === rows.length)) return { state, people: named };
  return { state, people: named, more: `${last.name}:${keyOf(last.name, last.row)}` };
}

function stateOf(kind: RoomKind, found: Found[]): RoomState {
  const state: Record<string, Row[]> = {};
  for (const name of roomSlices[kind]) state[name] = [];
  for (const { name, row } of found) state[name]?.push(row);
  return state as RoomState;
}

interface Found {
  name: SliceName;
  row: Row;
  personIds: string[];
}

/** Reads at least as many rows as fit, and few more. */
async function readRows(db: Db, { loadSlice, changesSince }: Readers, { kind, id, after }: Wanted) {
  const names: readonly SliceName[] = roomSlices[kind];
  const [first = names[0], key] = after?.split(':') ?? [];
  const start = names.indexOf(first as SliceName);
  if (start < 0 || (after !== undefined && changesSince[kind]))
    throw invalid('This cursor isn’t valid for this room.', 'after');
  const load = loadSlice[kind] as Record<
    string,
    (db: Db, id: string, page: Page) => Promise<Row[]>
  >;
  const page = async (name: string, after: string | undefined) =>
    (await load[name]?.(db, id, { after, limit: step })) ?? [];
  const rest = names.slice(start);
  // In parallel, because most rooms have only one page of each slice.
  const firstPages = await Promise.all(
    rest.map((name) => page(name, name === first ? key : undefined)),
  );
  const found: Found[] = [];
  const met = new Set<string>();
  let bytes = 0;
  for (const [i, name] of rest.entries()) {
    let last = name === first ? key : undefined;
    let firstPage = firstPages[i];
    for (let isRead = false; !isRead;) {
      if (bytes > budget.partBytes) return { found, isAll: false };
      const rows = firstPage ?? (await page(name, last));
      firstPage = undefined;
      // Some loaders of small slices ignore the page and return all rows.
      const further = rows
        .map((row) => ({ name, row, personIds: personIdsInRow(name, row), key: keyOf(name, row) }))
        .filter(({ key }) => last === undefined || key > last);
      if (!changesSince[kind]) further.sort((a, b) => (a.key < b.key ? -1 : 1));
      for (const one of further) {
        const unmet = one.personIds.filter((id) => !met.has(id));
        for (const id of unmet) met.add(id);
        bytes += jsonBytes(one.row) + leastPerson * unmet.length;
        found.push(one);
      }
      last = further.at(-1)?.key ?? last;
      isRead = rows.length < step || further.length === 0;
    }
  }
  return { found, isAll: true };
}

const keyOf = (name: SliceName, row: Row): string =>
  (row as unknown as Record<string, string>)[sliceKeys[name]] ?? '';

const personIdsInRow = (name: SliceName, row: Row): string[] =>
  personIdsIn<z.ZodType>(schemas[name])(row);
