import type { Parsed } from '../../shared/protocol.ts';
import type { Caller } from '../command.ts';
import { snapshot } from '../database/database.ts';
import { readAccessVersion } from '../realtime/access-version.ts';
import { timelineFor } from '../messages/access.ts';

/** Says to the others in a timeline that the caller is writing there. */
export async function sayTyping(
  caller: Caller,
  { timelineId }: Parsed<'typing:set'>,
): Promise<void> {
  const { app, user } = caller;
  const accessVersion = await snapshot(app.db, async (db) => {
    const { scope } = await timelineFor(db, caller, timelineId, 'send');
    return readAccessVersion(db, scope);
  });
  app.fanout.broadcastTyping({ timelineId, userId: user.id }, accessVersion);
}
