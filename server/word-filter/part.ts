/** The word filter as a message part: refuses messages and edits that contain an entry. See messages/part.ts. */
import { forbidden } from '../../shared/failure.ts';
import type { MessagePart, Wording } from '../messages/part.ts';
import { matcherOf, type Matcher } from './matching.ts';
import { findWordsOf } from './store.ts';

const isFiltered = ({ rights }: Wording) => rights.has('send') && !rights.has('use any words');

export const wordPart: MessagePart = {
  async prepare(db, wordings) {
    const filtered = wordings.filter(isFiltered);
    if (filtered.length === 0) return [];
    const timelineIds = new Set(filtered.map(({ timelineId }) => timelineId));
    const matchers = new Map(
      (await findWordsOf(db, [...timelineIds])).flatMap(({ timelineIds, words }) => {
        const matcher = recentMatcher(words);
        return timelineIds.map((id) => [id, matcher] as const);
      }),
    );
    return wordings.map((wording) => {
      const entry = isFiltered(wording) && matchers.get(wording.timelineId)?.(wording.body);
      return entry ? forbidden(`This server doesn’t allow “${entry}” in messages.`) : {};
    });
  },
};

/** A matcher of 200 entries of many words each takes about 1 MB. */
const maxRecent = 32;
/** Recently used matchers, by their whole list of words, so that a changed filter never gets an old one. */
const recent = new Map<string, Matcher>();

function recentMatcher(words: string[]): Matcher {
  const key = words.join('\n');
  const matcher = recent.get(key) ?? matcherOf(words);
  recent.delete(key);
  recent.set(key, matcher);
  const [oldest] = recent.keys();
  if (recent.size > maxRecent && oldest !== undefined) recent.delete(oldest);
  return matcher;
}
