/**
 * Reads the table of revocations once a second on every node, so that they hold while the nodes cannot reach each
 * other: ended rights (access-version.ts applies them) and ended sessions.
 */
import { every } from '../node/timer.ts';
import type { Stop } from '../node/clock.ts';
import { query, type Db } from '../database/database.ts';
import type { AccessVersion } from '../realtime/node-messages.ts';
import type { Node } from '../caller.ts';
import { closeHere, type Ending } from './endings.ts';

type Revoked =
  | { scope: string; version: number; sessionId: null; closing: null }
  | { scope: null; version: null; sessionId: string; closing: Ending };

/** Carries out here what was taken away in the last minute; commits may become visible out of order. */
export const pollRevocations = (node: Node): Stop =>
  every(node, 1_000, 'revocations', async () => {
    const revoked = await readRevoked(node.ownDb);
    const accessVersions: AccessVersion[] = [];
    for (const { scope, version, sessionId, closing } of revoked) {
      if (sessionId !== null) closeHere(node, [sessionId], closing);
      else accessVersions.push({ scope, version });
    }
    await Promise.all(accessVersions.map((one) => node.access.catchUpTo(one)));
  });

/** Of a renewed session the word waits for the reply that brings the new cookie, or its sockets came back with the old one. */
const readRevoked = (db: Db): Promise<Revoked[]> =>
  query(
    db,
    `select scope, max(access_version) as version, session_id as "sessionId", closing
     from revocations
     where at > clock_timestamp() - interval '60 seconds'
       and (closing is distinct from 'renewed' or at < clock_timestamp() - interval '0.5 seconds')
     group by scope, session_id, closing`,
  );

/** Drops old revocations, which no node asks for any more: clients that come after that are checked again. */
export async function sweepRevocations(node: Node): Promise<void> {
  node.access.forgetUnheard();
  await query(node.ownDb, `delete from revocations where at < now() - interval '1 hour'`);
}
