/** One seeded run: clients connect and send without faults for a while, then faults are injected in turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../support/generate.ts';
import { OperationLog } from './asking.ts';
import { isSettled } from './check.ts';
import { enterAll, gather, isSwitchedOff, type Crowd } from './crowd.ts';
import { healWithin } from './checks/healed.ts';
import type { FaultTargets } from './faults.ts';
import { lifeOf, newHistory, type Ended, type History } from './history.ts';
import { openChaosCluster, type TestCluster } from './place.ts';
import { readStored } from './stored.ts';
import { faultPlans, injectFaults, type FaultPlan } from './inject-faults.ts';
import { Traffic } from './traffic.ts';

export interface ChaosPlan {
  seed: number;
  /** Duration of the faults, without the calm and the end; not used with `injections`. */
  seconds: number;
  calmSeconds: number;
  /** Extends the calm until this many operations are answered. */
  calmOperations?: number;
  guests: number;
  /** Runs these faults in order, instead of random ones. */
  injections?: readonly FaultPlan[];
  /** Milliseconds to wait for healing, instead of `healWithin`. */
  healTimeoutMs?: number;
  /** Average milliseconds between two operations of one device. */
  pause?: number;
  program?: string[];
  progress?: (now: ChaosProgress) => void;
}

export interface ChaosProgress {
  seconds: number;
  what: string;
  operations: number;
  answered: number;
}

export async function runChaos(plan: ChaosPlan): Promise<Ended> {
  const { healTimeoutMs = healWithin } = plan;
  const history = newHistory(plan.seed);
  const began = performance.now();
  const now = () => performance.now() - began;
  const place = await openChaosCluster(plan.program);
  const stop = () => void place.close().then(() => process.exit(130));
  process.once('SIGINT', stop);
  const stage = startProgress(plan, history, now);
  let crowd: Crowd | undefined;
  try {
    stage.what = 'people come in';
    crowd = await gather(place, plan.guests, {
      received: (event) => void history.deliveries.push({ at: now(), ...event }),
      turn: (turn) => void history.turns.push({ at: now(), ...turn }),
      lifeOf: (epoch) => lifeOf(history, epoch),
    });
    const random = seeded(plan.seed);
    const log = new OperationLog(now, history.operations);
    const traffic = new Traffic(crowd, log, { seed: plan.seed, pause: plan.pause });
    const field: FaultTargets = { place, crowd, traffic, log, history, random };
    traffic.begin();
    stage.what = 'calm';
    await sleep(plan.calmSeconds * 1_000);
    const isAnswered = (one: { answered?: number }) => one.answered !== undefined;
    while (history.operations.filter(isAnswered).length < (plan.calmOperations ?? 0))
      await sleep(100);
    history.calmUntil = now();
    const until = now() + plan.seconds * 1_000;
    for (const faultPlan of plan.injections ?? faultPlans(random)) {
      if (plan.injections === undefined && now() > until) break;
      stage.what = faultPlan.faults.join(' and ');
      history.injections.push(await injectFaults(field, faultPlan, healTimeoutMs));
    }
    stage.what = 'the end';
    return await finish(field, healTimeoutMs);
  } finally {
    stage.stop();
    process.off('SIGINT', stop);
    crowd?.close();
    await place.close();
  }
}

/** Stops the traffic, then reads what clients hold and what is stored, until they agree or `healTimeoutMs` ends. */
export async function finish(
  {
    place,
    crowd,
    traffic,
    log,
    history,
  }: Omit<FaultTargets, 'place' | 'random'> & { place: TestCluster },
  healTimeoutMs: number,
): Promise<Ended> {
  const { now } = log;
  const end = now() + healTimeoutMs;
  const overdue = setTimeout(() => log.giveUp(), healTimeoutMs);
  await traffic.end();
  clearTimeout(overdue);
  for (;;) {
    await openWhatIsOnTheList(crowd);
    history.present = crowd.present();
    const stored = await readStored(place.db, crowd.serverId, crowd.timelineIds);
    const ended: Ended = { history, stored, holdings: crowd.holdings() };
    if (isSettled(ended) || now() > end) {
      history.settled = now();
      history.present = crowd.everybody
        .filter((one) => !isSwitchedOff(one))
        .map(({ userId }) => userId);
      history.notReady = (await Promise.all(place.nodes.map(whyNotReady))).filter(
        (why) => why !== '',
      );
      history.crashes.push(...crashesOf(place, now()));
      return ended;
    }
    await sleep(500);
  }
}

/** Enters the server where a client has it in its list: a late join attempt can have succeeded. */
async function openWhatIsOnTheList(crowd: Crowd): Promise<void> {
  const holdings = crowd.holdings();
  for (const person of crowd.everybody) {
    const sees = holdings.some(
      ({ userId, servers }) => userId === person.userId && servers.includes(crowd.serverId),
    );
    if (sees && !isSwitchedOff(person)) await enterAll(crowd, person).catch(() => undefined);
  }
}

async function whyNotReady({ url }: { url: string }): Promise<string> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  return response?.ok === true ? '' : `${url} says ${(await response?.text()) ?? 'nothing'}`;
}

/** Process ends that no fault caused. Ends during startup do not count: without a database, a node exits. */
const crashesOf = ({ nodes }: TestCluster, at: number) =>
  nodes.flatMap(({ child }, i) =>
    child.endings
      .filter(({ why, hadBegun }) => hadBegun && why !== 'SIGKILL' && why !== 'code 0')
      .map(({ why }) => ({ at, what: `node ${i + 1} ended: ${why}` })),
  );

function startProgress({ progress }: ChaosPlan, { operations }: History, now: () => number) {
  const stage = { what: 'everything starts', stop: () => clearInterval(timer) };
  const report = () => {
    const answered = operations.filter((one) => one.answered !== undefined).length;
    progress?.({
      seconds: now() / 1_000,
      what: stage.what,
      operations: operations.length,
      answered,
    });
  };
  const timer = setInterval(report, 1_000);
  return stage;
}
