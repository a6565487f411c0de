/** The commands of the word filter, a setting of a server. The filter itself is in word-filter/. */
import { isDeepStrictEqual } from 'node:util';
import type { Output, Parsed } from '../../shared/protocol.ts';
import type { wordFilterCommands } from '../../shared/word-filter.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller, Handlers } from '../caller.ts';
import { readTransaction } from '../database/database.ts';
import { saveWordFilter, wordFilterOf } from '../word-filter/word-filter.ts';
import { actInServer, serverFor } from './access.ts';

export const wordFilterHandlers: Handlers<keyof typeof wordFilterCommands> = {
  'wordFilter:get': (caller, { serverId }) =>
    readTransaction(caller.db, async (db) => {
      await serverFor(db, caller, serverId, 'manage server');
      return { words: await wordFilterOf(db, serverId) };
    }),
  'wordFilter:set': setWordFilter,
};

function setWordFilter(
  caller: Caller,
  { serverId, words: wanted }: Parsed<'wordFilter:set'>,
): Promise<Output<'wordFilter:set'>> {
  // Exclusive, so that no message with these words is stored after the answer.
  const locks = { exclusive: serverId, rooms: [] };
  return actInServer(caller, 'manage server', locks, async ({ db }) => {
    const known = await wordFilterOf(db, serverId);
    const words = await saveWordFilter(db, serverId, wanted);
    if (isDeepStrictEqual(words, known)) return { words };
    const detail = String(words.length);
    await recordAudit(db, caller, { action: 'wordFilter:changed', serverId, detail });
    return { words };
  });
}
