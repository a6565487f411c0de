/** The host signs in elsewhere, listens there for a while, and ends that session from home: over and over. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationLog } from './asking.ts';
import type { Crowd, ClientDevice } from './crowd.ts';

/** Milliseconds: how long somebody listens, and how often it is looked whether they still do. */
const pauses = { listening: 1_000, looking: 100 };

export async function signInElsewhere(
  crowd: Crowd,
  log: OperationLog,
  goesOn: () => boolean,
): Promise<void> {
  const { userId, devices } = crowd.host;
  const home = devices[0]?.client;
  while (goesOn()) {
    const device = await crowd.comeElsewhere().catch(() => undefined);
    // Signed in just before a failover: the session was lost with what the standby lacked.
    if (device === undefined) continue;
    const { client } = device;
    for (const room of crowd.rooms) await log.until(() => client.enter(room));
    let sessionId = '';
    await log.until(async () => {
      const { sessions } = await client.ask('session:list', {});
      sessionId = sessions.find(({ current }) => current)?.id ?? '';
    });
    await sleep(pauses.listening);
    if (sessionId === '') {
      void seeOut(device);
      continue;
    }
    await log.insist(log.note('end session', userId, { device: client.name }), async () => {
      await home?.ask('session:revoke', { sessionId });
      return undefined;
    });
    void seeOut(device);
  }
}

/** Whoever is told that the session ended, or finds that out, does not come back. */
async function seeOut({ client, wire }: ClientDevice): Promise<void> {
  while (!client.isAway && !client.hasEnded) await sleep(pauses.looking);
  client.close();
  wire.close();
}
