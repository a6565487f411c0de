import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import { OperationLog } from '../chaos/asking.ts';
import { check } from '../chaos/check.ts';
import { healWithin } from '../chaos/checks/healed.ts';
import { gather, type Crowd } from '../chaos/crowd.ts';
import type { Finding } from '../chaos/findings.ts';
import { lifeOf, newHistory, type History } from '../chaos/history.ts';
import { lostOperations } from '../chaos/lasting.ts';
import { finish } from '../chaos/run.ts';
import { Traffic } from '../chaos/traffic.ts';
import { signIn } from '../replay/sign-in.ts';
import { timeoutMs, until } from '../support/time.ts';
import { openAttackers, type Attackers } from './attackers.ts';
import type { Counts } from './attackers-itself.ts';
import { hostileBodies, type Target } from './attacks.ts';
import { watchArrivals } from './arrivals.ts';
import { watchReading } from './readings.ts';
import { shareFile } from './stranger.ts';
import { failOver } from './failover.ts';
import { furnish, type Sizes } from './furnish.ts';
import { memoryOf, openAttackCluster, type AttackCluster } from './cluster.ts';
import { watchLoad, type Load } from './load.ts';
import { outageOf, type Outage } from './outages.ts';
import { takePriority } from './priority.ts';
import { backUpFor, restore } from './restore.ts';
import {
  answersOf,
  deliveriesOf,
  latencyIn,
  type LatencyReport,
  type Sample,
  type Window,
} from './windows.ts';

export interface Plan {
  seed: number;
  guests: number;
  /** Number of windows, and their minimum seconds: a window lasts until every measurement has a sample. */
  turns: number;
  quiet: number;
  attack: number;
  sizes: Sizes;
  /** The fraction of each hostile crowd that takes part, all by default. */
  share?: number;
  /** Selects attacks by a part of their names, all by default. */
  only?: string;
  /** True if nothing else runs, so that waits mean something. Else no priorities, or attackers would get no time. */
  isAlone?: boolean;
  progress?: (what: string) => void;
}

export interface Report {
  seed: number;
  felt: LatencyReport[];
  outages: Outage[];
  /** Messages acknowledged after the restored backup began, and lost with it. */
  lost: number;
  /** Sign-ins from another device and address, which look like the guesses to the server, and wait as long. */
  targeted: LatencyReport;
  counts: Counts;
  /** Memory of each node, in megabytes. */
  memory: Memory;
  load: Load;
  acknowledged: number;
  deliveries: number;
  /** Hostile messages that one reader received and parsed, as the client does. */
  parsed: number;
  findings: Finding[];
}

interface Memory {
  before: number[];
  peak: number[];
  after: number[];
}

/** In bytes. */
const largeFile = 20_000_000;

/** Seconds between windows, in which pending work ends and sockets that do not read are closed. */
const between = 4;
/** Seconds until the primary ends, and seconds of messages that the backup lacks. */
const outages = { begin: 5, lost: 3 };
/** Milliseconds between two operations of a device, within every limit. */
const pause = 1_200;

/** How long a window waits for missing samples, in milliseconds. */
const longestWindow = 3 * timeoutMs;

interface Scene {
  plan: Plan;
  now: () => number;
  log: OperationLog;
  cluster: AttackCluster;
  attackers: Attackers;
  crowd: Crowd;
  history: History;
  progress: (what: string) => void;
}

export async function run(plan: Plan): Promise<Report> {
  const { progress = () => undefined } = plan;
  const began = performance.now();
  const now = () => performance.now() - began;
  progress('three nodes start');
  const history = newHistory(plan.seed);
  const cluster = await openAttackCluster();
  const attackers = openAttackers(plan.isAlone ? 'hostile' : 'usual');
  const stop = () => void cluster.close().then(() => process.exit(130));
  process.once('SIGINT', stop);
  let crowd: Crowd | undefined;
  try {
    progress('people come in');
    crowd = await gather(cluster, plan.guests, {
      received: (event) => void history.deliveries.push({ at: now(), ...event }),
      turn: (turn) => void history.turns.push({ at: now(), ...turn }),
      lifeOf: (epoch) => lifeOf(history, epoch),
    });
    const log = new OperationLog(now, history.operations);
    return await runPhases({ plan, now, log, cluster, attackers, crowd, history, progress });
  } finally {
    if (plan.isAlone) takePriority('usual');
    process.off('SIGINT', stop);
    attackers.close();
    crowd?.close();
    await cluster.close();
  }
}

async function runPhases(scene: Scene): Promise<Report> {
  const { plan, now, log, cluster, attackers, crowd, history, progress } = scene;
  const target = await prepare(scene);
  const arrivals = await watchArrivals(cluster.origin, now);
  const reading = await watchReading(cluster.origin, now);
  const elsewhere = timed(crowd, now);
  const reader = readAsTheClient(history);
  const traffic = new Traffic(crowd, log, { seed: plan.seed, pause });
  traffic.begin();
  const memory = await watchMemory(cluster);
  // Not earlier, because started processes inherit the priority.
  if (plan.isAlone) takePriority('honest');
  const load = watchLoad({ attackers: attackers.pid, ...cluster.processes }, cluster.metrics);
  const feltBy = {
    'a message is answered': () => answersOf(history),
    'a message arrives': () => deliveriesOf(history),
    'someone signs in': () => arrivals.samples,
    'a page is read': () => reading.samples.page,
    'a file of 1 MB is read': () => reading.samples.file,
    'a newcomer has written': () => reading.samples.newcomer,
  };
  const windows = await takeTurns(scene, target, load, Object.values(feltBy));
  await reading.stop();
  const counts = await faceOutages(scene, target(plan.turns));
  attackers.close();
  progress('the end');
  await arrivals.stop();
  const ended = await finish({ place: cluster, crowd, traffic, log, history }, healWithin);
  return {
    seed: plan.seed,
    felt: Object.entries(feltBy).map(([what, samples]) => latencyIn(what, samples(), windows)),
    outages: history.injections.map((injection) => outageOf(injection, history)),
    lost: lostOperations(history).length,
    targeted: latencyIn('whose password is guessed signs in elsewhere', elsewhere, windows),
    counts,
    memory: await memory.stop(),
    load: load.stop(),
    parsed: reader.stop(),
    acknowledged: history.operations.filter((one) => one.answered !== undefined && !one.refused)
      .length,
    deliveries: history.deliveries.reduce((sum, { changes }) => sum + changes.length, 0),
    findings: check(ended),
  };
}

async function prepare({ plan, cluster, attackers, crowd, progress }: Scene) {
  progress('much is put into the database');
  const who = { username: `owner-${v7().slice(-12)}`, password: v7() };
  const owner = await signIn(cluster.origin, 'register', who, '13.0.0.1');
  const { library, doomed } = await furnish(cluster.db, owner.user.id, plan.turns, plan.sizes);
  const visitor = { origin: cluster.origin, cookie: owner.cookie, address: '13.0.0.1' };
  const file = await shareFile(visitor, library.timelineIds[0] ?? '', largeFile);
  const { invite, timelineIds, username } = crowd;
  const [timelineId = ''] = timelineIds;
  const target = (turn: number): Target => ({
    origin: cluster.origin,
    library: { ...library, file },
    honest: { invite, timelineId, username },
    owner: owner.cookie,
    doomed: doomed[turn],
    share: plan.share ?? 1,
  });
  progress('strangers come in');
  await attackers.obey({ do: 'prepare', target: target(0), only: plan.only ?? '' });
  return target;
}

async function takeTurns(
  { plan, now, attackers, history, progress }: Scene,
  target: (turn: number) => Target,
  load: ReturnType<typeof watchLoad>,
  felt: (() => readonly Sample[])[],
): Promise<Window[]> {
  const windows: Window[] = [];
  const last = async (kind: Window['kind'], seconds: number) => {
    const [end, from] = [await load.begin(kind), now()];
    await sleep(seconds * 1_000);
    const hasSamples = () => felt.every((samples) => samples().some(({ at }) => at >= from));
    await until(hasSamples, () => `${kind}: all that honest people do is felt`, longestWindow);
    windows.push({ kind, from, to: now() });
    await end();
  };
  for (let turn = 0; turn < plan.turns; turn += 1) {
    await sleep(between * 1_000);
    progress(`quiet, ${turn + 1} of ${plan.turns}`);
    await last('quiet', plan.quiet);
    if (turn === 0) history.calmUntil = now();
    progress(`attack, ${turn + 1} of ${plan.turns}`);
    await attackers.obey({ do: 'start', target: target(turn), only: plan.only ?? '' });
    await last('attack', plan.attack);
    await attackers.obey({ do: 'stop' });
  }
  return windows;
}

/**
 * The primary ends amid an attack, while rows of deleted servers are still being swept. Its standby takes over, and
 * then a backup does. It runs after all measurements, because a standby takes time from the two cores available.
 */
async function faceOutages(scene: Scene, target: Target): Promise<Counts> {
  const { plan, cluster, attackers, progress } = scene;
  if (plan.isAlone) takePriority('usual');
  progress('a standby starts');
  const standby = await cluster.openStandby();
  await standby.becomeSynchronous();
  progress('attack, and the primary ends');
  await attackers.obey({ do: 'start', target, only: plan.only ?? '' });
  await sleep(outages.begin * 1_000);
  await failOver(scene, standby);
  progress('attack, and a backup is brought back');
  const backup = await backUpFor(scene);
  await sleep(outages.lost * 1_000);
  await restore(scene, backup);
  await sleep(outages.lost * 1_000);
  return attackers.obey({ do: 'stop' });
}

/** Measures how long the host takes to sign in elsewhere, which it does over and over. */
function timed(crowd: Crowd, now: () => number): Sample[] {
  const samples: Sample[] = [];
  const come = crowd.comeElsewhere.bind(crowd);
  crowd.comeElsewhere = async () => {
    const at = now();
    const device = await come();
    samples.push({ at, took: now() - at });
    return device;
  };
  return samples;
}

/** Parses messages in the process that times the answers, so that a text that takes seconds shows in every sample. */
function readAsTheClient({ deliveries }: History) {
  const hostile = new Set(hostileBodies);
  let [next, parsed] = [0, 0];
  const timer = setInterval(() => {
    for (; next < deliveries.length; next += 1)
      for (const { body } of deliveries[next]?.who === 'host'
        ? (deliveries[next]?.changes ?? [])
        : []) {
        readMarkdown(body);
        if (hostile.has(body)) parsed += 1;
      }
  }, 100);
  return {
    stop() {
      clearInterval(timer);
      return parsed;
    },
  };
}

async function watchMemory(cluster: AttackCluster) {
  const before = await memoryOf(cluster);
  let peak = before;
  const timer = setInterval(() => {
    void memoryOf(cluster).then(
      (sizes) => (peak = sizes.map((size, i) => Math.max(size, peak[i] ?? 0))),
      () => undefined,
    );
  }, 1_000);
  return {
    async stop(): Promise<Memory> {
      clearInterval(timer);
      return { before, peak, after: await memoryOf(cluster) };
    },
  };
}
