/** P9: a client stops reading during a flood. It is closed, others see it offline, and it catches up later. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { timelineRoom } from '../../shared/rooms.ts';
import type { OperationLog } from './asking.ts';
import type { Crowd } from './crowd.ts';
import type { History } from './history.ts';

/** Upper bound of the flood: more than the kernel and the server buffer for one client. */
const flood = { messages: 4_000, size: 3_900, atOnce: 40 };
/** Milliseconds to wait for each step: connected, seen offline, caught up. */
const timeoutMs = 40_000;

export async function stall(crowd: Crowd, log: OperationLog, { stalls }: History): Promise<number> {
  const { sleeper, host, floodId: timelineId, serverId } = crowd;
  const [device] = sleeper.devices;
  const home = host.devices[0]?.client;
  if (device === undefined || home === undefined)
    throw new Error('A device of the sleeper or the host is missing.');
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
  const end = performance.now() + timeoutMs;
  while (!holds() && performance.now() < end) await sleep(50);
  return holds();
}
