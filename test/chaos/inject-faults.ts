/** Injects one or two faults at once, and measures the time until all clients have caught up. */
import { setTimeout as sleep } from 'node:timers/promises';
import { timelineRoom } from '../../shared/rooms.ts';
import type { Random } from '../support/generate.ts';
import { isSwitchedOff, type Crowd } from './crowd.ts';
import { faults, type FaultName, type FaultTargets } from './faults.ts';
import type { History, Injection } from './history.ts';

/** Faults to inject together; `quietly` stops all traffic before the repair. */
export interface FaultPlan {
  faults: FaultName[];
  quietly: boolean;
}

/** Yields all faults, alone or in pairs, in random order, endlessly. */
export function* faultPlans(random: Random): Generator<FaultPlan> {
  for (;;) {
    const deck = shuffled(Object.keys(faults) as FaultName[], random);
    while (deck.length > 0) {
      const two = random.chance(0.4) && !deck.slice(0, 2).includes(lagging);
      const faults = deck.splice(0, two ? 2 : 1);
      yield { faults, quietly: random.chance(0.5) && !faults.includes(lagging) };
    }
  }
}

/** Never paired: it redirects wires that other faults hold. Never quiet: the standby must lack messages. */
const lagging: FaultName = 'PostgreSQL standby promoted';

function shuffled<T>(all: T[], random: Random): T[] {
  const rest = [...all];
  return all.map(() => rest.splice(random.int(0, rest.length - 1), 1)[0] as T);
}

/** @param healTimeoutMs milliseconds to wait for all clients to catch up */
export async function injectFaults(
  field: FaultTargets,
  { faults: names, quietly }: FaultPlan,
  healTimeoutMs: number,
): Promise<Injection> {
  const { crowd, traffic } = field;
  const { now } = field.log;
  const injected = now();
  const longest = Math.max(...names.map((name) => faults[name].seconds));
  // Without later traffic, no later change reveals a loss.
  const silence = quietly ? sleep(longest * 1_000 - 1_000).then(() => traffic.end()) : undefined;
  comeOrGo(crowd);
  const fired = await Promise.all(
    names.map(async (name) => [name, await faults[name].run(field)] as const),
  );
  const mended = now();
  const end = await healing(field, silence, healTimeoutMs);
  if (quietly) {
    await silence;
    traffic.begin();
  }
  return { fired: Object.fromEntries(fired), injected, mended, quietly, ...end };
}

function comeOrGo({ visitors }: Crowd): void {
  const wereAway = visitors.every(isSwitchedOff);
  for (const { client } of visitors.flatMap(({ devices }) => devices))
    if (wereAway) client.comeBack();
    else client.goAway();
}

/**
 * Waits until all clients hold what was acknowledged so far. Returns that time or, after `healTimeoutMs`, what is lacking.
 */
export async function healing(
  { crowd, history, log: { now } }: Pick<FaultTargets, 'crowd' | 'history' | 'log'>,
  silence: Promise<void> | undefined,
  healTimeoutMs: number,
): Promise<Pick<Injection, 'healed' | 'lacking'>> {
  const end = now() + healTimeoutMs;
  let isSilent = silence === undefined;
  void silence?.then(() => (isSilent = true));
  let versions = versionsIn(history);
  while (now() < end) {
    if (isSilent && lacking(crowd, versions, history) === undefined) return { healed: now() };
    await sleep(50);
    // Operations that were in flight when the traffic stopped count, too.
    if (silence !== undefined) versions = versionsIn(history);
  }
  const why = isSilent ? lacking(crowd, versions, history) : 'something was never answered';
  return why === undefined ? { healed: now() } : { lacking: why };
}

/** Highest acknowledged version of each timeline since the last failover. */
function versionsIn({ operations, failovers }: History): Map<string, number> {
  const versions = new Map<string, number>();
  for (const { answers } of operations)
    for (const { timelineId, version, life } of answers)
      if (life === failovers.length)
        versions.set(timelineId, Math.max(version, versions.get(timelineId) ?? 0));
  return versions;
}

function lacking(
  { devices, everybody }: Crowd,
  versions: Map<string, number>,
  { failovers }: History,
): string | undefined {
  const away = new Set(everybody.filter(isSwitchedOff).flatMap((person) => person.devices));
  for (const device of devices) {
    const { client } = device;
    if (away.has(device)) continue;
    if (!client.isReady) return `${client.name} is not connected`;
    if (client.life !== failovers.length) return `${client.name} has not heard of the failover`;
    for (const [id, version] of versions) {
      const has = client.version(timelineRoom(id)) ?? version;
      if (has < version) return `${client.name} is at version ${has} of ${version}`;
    }
  }
  return undefined;
}
