/** A whole replay: who listens, who speaks, and what everybody holds in the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../server/database/database.ts';
import { compare, type Comparison } from './comparison.ts';
import { Crowd, walk, type Outcome } from './crowd.ts';
import { openServer } from './host.ts';
import { isRefused, spoken, type Line } from './lines.ts';
import { seatListeners, type Listener } from './listener.ts';
import type { Said } from './said.ts';
import { readListed, readTable } from './stored.ts';
import { Visitor } from './visitor.ts';

/** How long listeners may take to catch up at the end: more than the client takes between two looks. */
const graceMs = 30_000;

export interface Replay {
  lines: readonly Line[];
  /** One for each node. */
  urls: readonly string[];
  /** For one's own nodes: the table itself is compared too. */
  db?: Db | undefined;
  /** How many times as fast as it was said; `Infinity`: as fast as can be. */
  speed: number;
  listeners: number;
  server: string;
  progress?: (now: Progress) => void;
}

export interface Progress {
  lines: number;
  messages: number;
  sockets: number;
}

export interface Report {
  lines: number;
  speakers: number;
  seconds: number;
  /** The numbers of the lines that are no messages to Parley. */
  refused: number[];
  sent: number;
  acknowledged: number;
  /** Why something was not acknowledged, or not listened to. */
  problems: string[];
  comparisons: Comparison[];
}

export async function replay(plan: Replay): Promise<Report> {
  const { lines, urls } = plan;
  const { host, server, invite } = await openServer(urls[0] ?? '', plan.server);
  const timelineId = server.defaultChannelId;
  const listeners = await seatListeners(plan.listeners, { urls, invite, timelineId });
  const crowd = new Crowd(lines, urls, { invite, timelineOf: () => timelineId });
  const began = performance.now();
  const outcomes = await walk(crowd, lines, plan.speed, counting(plan, crowd));
  const seconds = (performance.now() - began) / 1_000;
  crowd.close();

  const reader = new Visitor(host.url, host.cookie);
  const listed = await readListed(reader, timelineId);
  await grace(listeners, listed.length);
  const table = plan.db && (await readTable(plan.db, timelineId));
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

/** Counts what is done, for whoever looks on. */
function counting({ progress }: Replay, { seats }: Crowd): (line: Line) => void {
  const now = { lines: 0, messages: 0 };
  return (line) => {
    now.lines += 1;
    if (spoken(line) !== undefined) now.messages += 1;
    progress?.({ ...now, sockets: seats.taken });
  };
}

async function grace(listeners: readonly Listener[], count: number): Promise<void> {
  const end = performance.now() + graceMs;
  const isBehind = ({ held }: Listener) => held.messages.length < count;
  while (listeners.some(isBehind) && performance.now() < end) await sleep(100);
}

function problemsOf(outcomes: readonly Outcome[], listeners: readonly Listener[]): string[] {
  const failed = outcomes.flatMap((outcome, number) =>
    'failed' in outcome ? [`line ${number + 1}: ${outcome.failed.message}`] : [],
  );
  const deaf = listeners.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name}: ${problem.message}`],
  );
  return [...failed, ...deaf];
}

/**
 * The database against what was acknowledged, where each speaker's own order is promised; and all others
 * against the database, whose order is everybody's.
 */
const comparisons = (
  acknowledged: readonly Said[],
  listed: readonly Said[],
  table: readonly Said[] | undefined,
  listeners: readonly Listener[],
): Comparison[] => [
  compare('database', acknowledged, listed, ({ authorId }) => authorId),
  ...(table === undefined ? [] : [compare('its table', listed, table)]),
  ...listeners.map(({ name, held }) => compare(name, listed, held.messages)),
];
