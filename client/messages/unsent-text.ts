import { attached } from '../files/attached.svelte.ts';
import { drafts, edits } from './drafts.ts';
import { clearExtras, dropExtras, extrasOf } from './message-parts.ts';
import { savedOutbox } from './saved-outbox.ts';

export const anythingWritten = () =>
  attached.size > 0 || [savedOutbox, edits, drafts].some((saved) => saved.entries.length > 0);

/** Removes and returns the unsent text of a timeline that has ended, so that the user can copy it. */
export function takeWritten(timelineId: string): string {
  const lost = [savedOutbox, edits].flatMap((saved) =>
    saved.entries
      .filter(([, value]) => value.timelineId === timelineId)
      .map(([id, { body }]) => {
        saved.delete(id);
        return body;
      }),
  );
  const draft = drafts.get(timelineId) ?? '';
  drafts.delete(timelineId);
  dropExtras(extrasOf(timelineId));
  clearExtras(timelineId);
  return [...lost, draft].filter((text) => text.trim()).join('\n\n');
}
