import { Message } from '../../shared/messages.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { peopleMentioned } from '../people/people.ts';
import { readTransaction } from '../database/database.ts';
import { timelineFor } from '../messages/access.ts';
import { readMessages } from '../messages/messages.ts';
import type { Caller } from '../caller.ts';
import { pinnedBefore } from './store.ts';

export async function listPins(
  caller: Caller,
  { timelineId, before }: Parsed<'pin:list'>,
): Promise<Output<'pin:list'>> {
  return readTransaction(caller.db, async (db) => {
    await timelineFor(db, caller, timelineId, 'see');
    const { messages, of } = await readMessages(db, pinnedBefore, [timelineId, before ?? null]);
    return {
      messages,
      people: await peopleMentioned(db, messages, personIdsIn(Message)),
      more: { after: messages.length < of },
    };
  });
}
