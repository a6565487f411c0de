/** All that I wrote and that nobody has got. */
import { drafts, edits } from './drafts.ts';
import { unsent } from './saved-outbox.ts';

export const anythingWritten = () =>
  [unsent, edits, drafts].some((kept) => kept.entries.length > 0);

/** Takes away what was written in a timeline, for whoever wants to copy it: the timeline is no more. */
export function takeWritten(timelineId: string): string {
  const lost = [unsent, edits].flatMap((kept) =>
    kept.entries
      .filter(([, value]) => value.timelineId === timelineId)
      .map(([id, { body }]) => {
        kept.delete(id);
        return body;
      }),
  );
  const draft = drafts.get(timelineId) ?? '';
  drafts.delete(timelineId);
  return [...lost, draft].filter((text) => text.trim()).join('\n\n');
}
