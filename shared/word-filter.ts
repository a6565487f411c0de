/** Words that members of a server can’t use in messages. */
import { z } from 'zod';
import { command, Id, Line, List } from './contract.ts';
import { foldText } from './folding.ts';
import { quotas } from './quotas.ts';

const lettersIn = (word: string) => foldText(word).match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/**
 * A word or a phrase. Only letters and numbers count. Matches whole words, in any case and with any accents. With `*` at
 * its end, it also matches longer words that begin with it. In scripts without spaces, it matches anywhere.
 */
export const FilteredWord = Line(quotas.filteredWord)
  .refine((word) => lettersIn(word) > 0, 'Use at least one letter or number.')
  .refine((word) => !/\*./.test(word), 'Use * only at the end.')
  .refine(
    (word) => !word.endsWith('*') || lettersIn(word) > 1,
    'Use at least two letters or numbers before the *.',
  );

const Words = z.strictObject({ words: z.array(z.string()) });
const Which = z.strictObject({ serverId: Id });

export const wordFilterCommands = {
  'wordFilter:get': command({
    summary: 'Returns the word filter of a server. Owner only.',
    input: Which,
    output: Words,
    errors: ['forbidden', 'not_found'],
    rate: 'read',
    who: 'people',
  }),
  'wordFilter:set': command({
    summary:
      'Sets the words and phrases that members can’t use in channels. Messages and edits that contain one are refused with `forbidden`. Moderators, the owner and custom roles with `use any words` are exempt. Earlier messages stay. The filter ignores case, accents, hidden characters and punctuation, and matches whole words. An entry that ends with `*` also matches longer words that begin with it. An entry in a script without spaces matches anywhere. An empty list turns the filter off. Returns the list without duplicates. Owner only.',
    input: Which.extend({ words: List(FilteredWord, quotas.filteredWords) }),
    output: Words,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    who: 'people',
  }),
};
