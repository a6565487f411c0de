/** Keeping messages at hand. */
import { Message } from '../../shared/messages.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { peopleMentioned } from '../accounts/people.ts';
import type { Caller } from '../command.ts';
import { snapshot } from '../database/database.ts';
import { timelineFor, timelineOf } from '../messages/access.ts';
import { readMessages } from '../messages/messages.ts';
import { pinWriter } from './part.ts';
import { pinnedBefore } from './store.ts';

/** Pins a message, or unpins it. What is so already stays so. */
export async function pin(
  { app, user }: Caller,
  { messageId: id, on }: Parsed<'message:pin'>,
): Promise<Message> {
  const timelineId = await timelineOf(app.db, id);
  return app.writer.write({ do: 'part', part: pinWriter, user, timelineId, id, ask: { on } });
}

/** The latest first. */
export async function listPins(
  caller: Caller,
  { timelineId, before }: Parsed<'pin:list'>,
): Promise<Output<'pin:list'>> {
  return snapshot(caller.app.db, async (db) => {
    await timelineFor(db, caller, timelineId, 'see');
    const { messages, of } = await readMessages(db, pinnedBefore, [timelineId, before ?? null]);
    return {
      messages,
      people: await peopleMentioned(db, messages, personIdsIn(Message)),
      more: { after: messages.length < of },
    };
  });
}
