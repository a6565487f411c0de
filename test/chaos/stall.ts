/** P9: somebody reads nothing while much is said to them. They are closed, the others see it, and they catch up. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { timelineRoom } from '../../shared/rooms.ts';
import type { OperationLog } from './asking.ts';
import type { Crowd } from './crowd.ts';
import type { History } from './history.ts';

/** At most; it is more than what the kernel and the server hold for one client. */
const flood = { messages: 4_000, size: 3_900, atOnce: 40 };
/** How long it may take until they are closed, seen as gone, and hold everything again. Milliseconds. */
const patience = 40_000;

export async function stall(crowd: Crowd, log: OperationLog, { stalls }: History): Promise<number> {
  const { sleeper, host, floodId: timelineId, serverId } = crowd;
  const [device] = sleeper.devices;
  const home = host.devices[0]?.client;
  if (device === undefined || home === undefined) throw new Error('Nobody is there.');
  const { client, wire } = device;
  const isGone = () => home.sees(serverId, sleeper.userId) === 'offline';
  const isHere = () => client.isIn(timelineRoom(timelineId)) && client.isReady && !isGone();
  if (!(await within(isHere))) return 0;
  wire.hold();
  let last = 0;
  const say = async () => {
    const id = v7();
    await log.until(async () => {
      const body = 'x'.repeat(flood.size);
      const { message } = await home.ask('message:send', { timelineId, id, body });
      last = Math.max(last, message.version);
    });
  };
  for (let said = 0; said < flood.messages && !isGone(); said += flood.atOnce)
    await Promise.all(Array.from({ length: flood.atOnce }, say));
  const said = log.now();
  const isClosed = await within(isGone);
  const closed = log.now();
  wire.mend();
  const holdsAll = () => (client.version(timelineRoom(timelineId)) ?? 0) >= last;
  const isBack = await within(holdsAll);
  stalls.push({
    who: client.name,
    at: said,
    ...(isClosed && { closed }),
    ...(isBack && { back: log.now() }),
  });
  return 1;
}

async function within(holds: () => boolean): Promise<boolean> {
  const end = performance.now() + patience;
  while (!holds() && performance.now() < end) await sleep(50);
  return holds();
}
