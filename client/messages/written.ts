/** All that I wrote in a timeline and that nobody has got. */
import { drafts, edits } from './drafts.ts';
import { unsent } from './unsent.ts';

/** Takes it away, for whoever wants to copy it: the timeline is no more. */
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
