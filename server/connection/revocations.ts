/** Reads ended rights and sessions once a second, so that they hold while the nodes cannot reach each other. */
import { every, type StopWork } from '../node/timer.ts';
import { query, type Db } from '../database/database.ts';
import type { AccessVersion } from '../realtime/node-messages.ts';
import type { Node } from '../caller.ts';
import { closeHere, type SessionEnding } from './session-endings.ts';

type Revoked =
  | { scope: string; version: number; sessionId: null; closing: null }
  | { scope: null; version: null; sessionId: string; closing: SessionEnding };

/** Applies the revocations of the last minute, because commits can become visible out of order. */
export const pollRevocations = (node: Node): StopWork =>
  every(node, 1_000, 'revocations', async () => {
    const revoked = await readRevoked(node.ownDb);
    const accessVersions: AccessVersion[] = [];
    for (const { scope, version, sessionId, closing } of revoked) {
      if (sessionId !== null) closeHere(node, [sessionId], closing);
      else accessVersions.push({ scope, version });
    }
    await Promise.all(accessVersions.map((one) => node.access.catchUpTo(one)));
  });

/** Delays `renewed` so that the reply with the new cookie comes first, or sockets would reconnect with the old one. */
const readRevoked = (db: Db): Promise<Revoked[]> =>
  query(
    db,
    `select scope, max(access_version) as version, session_id as "sessionId", closing
     from revocations
     where at > clock_timestamp() - interval '60 seconds'
       and (closing is distinct from 'renewed' or at < clock_timestamp() - interval '0.5 seconds')
     group by scope, session_id, closing`,
  );

/** Deletes old revocations. A node that misses a deleted one checks every socket's right (access-version.ts). */
export async function sweepRevocations(node: Node): Promise<void> {
  node.access.forgetUnused();
  await query(node.ownDb, `delete from revocations where at < now() - interval '1 hour'`);
}
