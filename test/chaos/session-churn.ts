/** The host repeatedly signs in on another device, and after a while ends that session from the first one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationLog } from './asking.ts';
import type { Crowd, ClientDevice } from './crowd.ts';

/** Milliseconds: how long the new session lasts, and how often its end is polled. */
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
    // A failover just after the sign-in loses the session, if the standby lacked it.
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

/** Waits until the client knows that its session has ended, then closes its wire. */
async function seeOut({ client, wire }: ClientDevice): Promise<void> {
  while (!client.isAway && !client.hasEnded) await sleep(pauses.looking);
  client.close();
  wire.close();
}
