/** What stands in the composers, by timeline, and in the editors, by message. */
import { Kept } from '../device/saved.ts';
import type { ChosenNames } from '../mentions/spelling.ts';
import { asRecord } from '../device/storage.ts';

/** A message that is being rewritten. */
export interface Edit {
  timelineId: string;
  body: string;
  /** What it starts from: a later version is someone else's. */
  base: { body: string; version: number };
}

export const drafts = new Kept('draft', (found) => (typeof found === 'string' ? found : undefined));

/** Whom the names in them mean that were chosen: what they are called may change before it is sent. */
export const draftNames = new Kept('names', (found): ChosenNames | undefined => {
  const names = Object.entries(asRecord(found));
  return names.every((one): one is [string, string] => typeof one[1] === 'string')
    ? Object.fromEntries(names)
    : undefined;
});

export const edits = new Kept('edit', (found): Edit | undefined => {
  const { timelineId, body, base } = asRecord(found);
  const { body: before, version } = asRecord(base);
  if (typeof timelineId !== 'string' || typeof body !== 'string') return undefined;
  if (typeof before !== 'string' || typeof version !== 'number') return undefined;
  return { timelineId, body, base: { body: before, version } };
});

export function writeDraft(timelineId: string, text: string): void {
  if (text === '') draftNames.delete(timelineId);
  if (text === '') drafts.delete(timelineId);
  else drafts.set(timelineId, text);
}

export const hasDraft = (timelineId: string) => (drafts.get(timelineId) ?? '').trim() !== '';

/** The message of a timeline that was being rewritten last. */
export const lastEdited = (timelineId: string): string | undefined =>
  edits.entries.findLast(([, edit]) => edit.timelineId === timelineId)?.[0];
