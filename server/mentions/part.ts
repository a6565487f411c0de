/**
 * Mentions of people, and of everyone, as a part of messages: see messages/part.ts. A mention of everyone (@everyone,
 * @here) has no row for each person: badges find these messages by a query (reads/store.ts).
 */
import { callsIn } from '../../shared/mentions.ts';
import type { MessagePart, StoredNews } from '../messages/part.ts';
import { everyoneMentioned } from './everyone.ts';
import { storeMentions } from './mentions.ts';
import { deleteMentionsIn } from './store.ts';

export const mentionPart: MessagePart = {
  columns: { calls: { column: 'calls', type: 'text' } },
  async prepare(_db, wordings) {
    return wordings.map(({ body, rights }) => ({
      calls: rights.has('call everyone') ? callsIn(body) : undefined,
    }));
  },
  async stored(db, batch): Promise<StoredNews> {
    const mentions = await storeMentions(db, batch);
    const calls = await everyoneMentioned(db, batch, mentions);
    const timelines = new Set([...mentions.keys(), ...calls.keys()]);
    const activity = [...timelines].map((timelineId) => {
      const called = calls.get(timelineId);
      const mentioned = mentions.get(timelineId) ?? {};
      return [timelineId, { mentions: mentioned, ...(called && { calls: called }) }] as const;
    });
    return { activity: new Map(activity) };
  },
  sweep: deleteMentionsIn,
};
