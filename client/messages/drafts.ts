/** Saved drafts of new messages, by timeline, and of edits, by message. */
import { SavedMap } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import type { DraftFile } from '../files/files-of.ts';
import type { ChosenNames } from '../mentions/spelling.ts';
import type { Reply } from '../replies/replying.ts';

export interface Extras {
  reply?: Reply;
  files?: readonly DraftFile[];
}

export interface Edit {
  timelineId: string;
  body: string;
  /** The version that the edit began with. A later one is another user's edit. */
  base: { body: string; version: number };
}

export const drafts = new SavedMap('draft', (found) =>
  typeof found === 'string' ? found : undefined,
);

/** The people meant by chosen names in drafts, because a person can be renamed before the message is sent. */
export const draftNames = new SavedMap('names', (found): ChosenNames | undefined => {
  const names = Object.entries(asRecord(found));
  return names.every((one): one is [string, string] => typeof one[1] === 'string')
    ? Object.fromEntries(names)
    : undefined;
});

export const edits = new SavedMap('edit', (found): Edit | undefined => {
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

export const lastEdited = (timelineId: string): string | undefined =>
  edits.entries.findLast(([, edit]) => edit.timelineId === timelineId)?.[0];
