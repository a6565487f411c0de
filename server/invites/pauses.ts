/** Pauses all invites of a server until a time, to stop a raid. */
import type { Output, Parsed } from '../../shared/protocol.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import { actInServer } from '../servers/access.ts';
import { deletePause, findPause, savePause } from './pause-store.ts';

export async function pauseInvites(
  caller: Caller,
  { serverId, seconds }: Parsed<'invite:pause'>,
): Promise<Output<'invite:pause'>> {
  // Exclusive, so that no one joins after the answer. No room changes, because that would be sent to all members.
  const locks = { exclusive: serverId, rooms: [] };
  return actInServer(caller, 'manage invites', locks, async ({ db }) => {
    const isPaused = (await findPause(db, serverId)) !== undefined;
    const until = seconds > 0 ? await savePause(db, serverId, seconds) : undefined;
    if (until === undefined) await deletePause(db, serverId);
    if (until !== undefined || isPaused)
      await recordAudit(db, caller, {
        action: until === undefined ? 'invite:resumed' : 'invite:paused',
        serverId,
        ...(until !== undefined && { detail: until.toISOString() }),
      });
    return { pausedUntil: until?.toISOString() ?? null };
  });
}
