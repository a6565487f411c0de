import { setImmediate as nextTick } from 'node:timers/promises';
import { hasKinds } from '../../shared/search-query.ts';
import { contentOf, type Content } from './content.ts';
import {
  anyPart,
  authorPart,
  hasPart,
  keysIn,
  mentionKey,
  searchPartsOf,
  timelinePart,
} from './keys.ts';
import type { Searched, SearchRow } from './store.ts';

/** Letters before the event loop goes on to other tasks: some ten milliseconds of work. */
export const lettersPerTick = 4_096;

export async function rowsOf(
  messages: Searched[],
  bucketOf: Map<string, number>,
): Promise<SearchRow[]> {
  const rows: SearchRow[] = [];
  let letters = 0;
  for (const message of messages) {
    const row = rowOf(message, bucketOf.get(message.id) ?? 0);
    rows.push(row);
    if ((letters += row.folded.length) < lettersPerTick) continue;
    letters = 0;
    await nextTick();
  }
  return rows;
}

function rowOf(message: Searched, bucket: number): SearchRow {
  const { id, at, timelineId, authorId, body, files } = message;
  const content = contentOf(body, files);
  const keys = keysIn(bucket, [
    ...[anyPart, timelinePart(timelineId), authorPart(authorId)],
    ...partsIn(content),
  ]);
  return { id, at, timelineId, authorId, ...content, bucket, keys };
}

const partsIn = ({ folded, has, mentions }: Content): number[] => [
  ...searchPartsOf(folded),
  ...mentions.map(mentionKey),
  ...hasKinds.flatMap((_, bit) => ((has >> bit) & 1 ? [hasPart(bit)] : [])),
];
