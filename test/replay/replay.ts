import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../server/database/database.ts';
import { compare, type Comparison } from './comparison.ts';
import { ReplayCrowd, walkScript, type LineOutcome } from './crowd.ts';
import { hostServer } from './host.ts';
import { isRefused, spoken, type ScriptLine } from './lines.ts';
import { openListeners, type ReplayListener } from './listener.ts';
import type { ComparedMessage } from './said.ts';
import { readListed, readStoredMessages } from './stored.ts';
import { ReplayConnection } from './connection.ts';

/** Time for listeners to catch up at the end: longer than the client's interval between two syncs (rule 6). */
const graceMs = 30_000;

export interface Replay {
  lines: readonly ScriptLine[];
  urls: readonly string[];
  /** If given, the messages table is compared, too. */
  db?: Db | undefined;
  /** Factor to the original speed; `Infinity` does not wait. */
  speed: number;
  listeners: number;
  server: string;
  progress?: (now: ReplayProgress) => void;
}

export interface ReplayProgress {
  lines: number;
  messages: number;
  sockets: number;
}

export interface ReplayReport {
  lines: number;
  speakers: number;
  seconds: number;
  refused: number[];
  sent: number;
  acknowledged: number;
  problems: string[];
  comparisons: Comparison[];
}

export async function replay(plan: Replay): Promise<ReplayReport> {
  const { lines, urls } = plan;
  const { host, server, invite } = await hostServer(urls[0] ?? '', plan.server);
  const timelineId = server.defaultChannelId;
  const listeners = await openListeners(plan.listeners, { urls, invite, timelineId });
  const crowd = new ReplayCrowd(lines, urls, { invite, timelineOf: () => timelineId });
  const began = performance.now();
  const outcomes = await walkScript(crowd, lines, plan.speed, counting(plan, crowd));
  const seconds = (performance.now() - began) / 1_000;
  crowd.close();

  const reader = new ReplayConnection(host.url, host.cookie);
  const listed = await readListed(reader, timelineId);
  await grace(listeners, listed.length);
  const table = plan.db && (await readStoredMessages(plan.db, timelineId));
  for (const one of [host, reader, ...listeners]) one.close();
  const acknowledged = outcomes.flatMap((outcome) =>
    'said' in outcome && outcome.said ? [outcome.said] : [],
  );
  return {
    lines: lines.length,
    speakers: crowd.size,
    seconds,
    refused: lines.flatMap((line, index) => (isRefused(line) ? [index + 1] : [])),
    sent: lines.filter((line) => spoken(line) !== undefined).length,
    acknowledged: acknowledged.length,
    problems: problemsOf(outcomes, listeners),
    comparisons: comparisons(acknowledged, listed, table, listeners),
  };
}

function counting({ progress }: Replay, { pool }: ReplayCrowd): (line: ScriptLine) => void {
  const now = { lines: 0, messages: 0 };
  return (line) => {
    now.lines += 1;
    if (spoken(line) !== undefined) now.messages += 1;
    progress?.({ ...now, sockets: pool.taken });
  };
}

async function grace(listeners: readonly ReplayListener[], count: number): Promise<void> {
  const end = performance.now() + graceMs;
  const isBehind = ({ held }: ReplayListener) => held.messages.length < count;
  while (listeners.some(isBehind) && performance.now() < end) await sleep(100);
}

function problemsOf(
  outcomes: readonly LineOutcome[],
  listeners: readonly ReplayListener[],
): string[] {
  const failed = outcomes.flatMap((outcome, number) =>
    'failed' in outcome ? [`line ${number + 1}: ${outcome.failed.message}`] : [],
  );
  const deaf = listeners.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name}: ${problem.message}`],
  );
  return [...failed, ...deaf];
}

/**
 * Compares the database with the acknowledged messages, where only the order of each speaker is promised. Compares the
 * table and the listeners with the database, where the order of all messages must be the same.
 */
const comparisons = (
  acknowledged: readonly ComparedMessage[],
  listed: readonly ComparedMessage[],
  table: readonly ComparedMessage[] | undefined,
  listeners: readonly ReplayListener[],
): Comparison[] => [
  compare('database', acknowledged, listed, ({ authorId }) => authorId),
  ...(table === undefined ? [] : [compare('its table', listed, table)]),
  ...listeners.map(({ name, held }) => compare(name, listed, held.messages)),
];
