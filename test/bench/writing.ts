import { v7 } from 'uuid';
import { flush } from '../../server/messages/flush.ts';
import type { Write } from '../../server/messages/write.ts';
import { writerOn } from '../../server/messages/node-writer.ts';
import { writeAlone } from './baseline.ts';
import type { Act, Case } from './case.ts';
import type { Audience } from './load-process.ts';
import { body, keepSaying, type BenchLoad } from './load.ts';
import type { BenchPlace } from './place.ts';

function newSend({ people, timelineIds }: BenchPlace, sender: number, timeline: number) {
  const user = people[sender];
  const timelineId = timelineIds[timeline];
  if (user === undefined || timelineId === undefined)
    throw new Error('there is no such person or timeline');
  return { do: 'send', user, timelineId, id: v7(), body } satisfies Write;
}

export const writingLegend =
  'Writing: “bare” looks up the right, moves the timeline on and stores the message; it skips ids, read marks and the\n' +
  'order of locks, and could not promise what Parley does. The last column is in multiples of it. “through\n' +
  'sockets” is the whole server, its clients in another process on the same cores; they do not\n' +
  'listen. What failed, in all rounds together, is in none of the other figures.';

type Way = Pick<Case, 'name' | 'isBaseline'> & {
  say: (place: BenchPlace, send: Write & { do: 'send' }) => Promise<unknown>;
};

const ways: Way[] = [
  { name: 'group commit', say: ({ node }, send) => writerOn(node).write(send) },
  // The code of the writer, with all of its guarantees, but for one message at a time.
  {
    name: 'a transaction each',
    say: ({ node, db }, send) => flush({ node, db }, [send], 'in turn'),
  },
  {
    name: 'a transaction each, bare',
    isBaseline: true,
    say: ({ db }, send) => writeAlone(db, send),
  },
];

interface Pressure {
  senders: number;
  inFlight: number;
}

/** With one message under way each, as people send, and with more, as programs do. */
const loads = ({ senders, inFlight: maxInFlight }: Pressure): BenchLoad[] =>
  [1, 100].flatMap((timelines) =>
    [1, maxInFlight].map((inFlight) => ({ senders, inFlight, timelines })),
  );

const headingOf = ({ timelines, inFlight, senders }: BenchLoad) =>
  `${timelines === 1 ? 'one timeline' : `${timelines} timelines`}, ${senders} senders with ${inFlight} under way each`;

export const writing = (pressure: Pressure): Act => ({
  people: pressure.senders,
  channels: [],
  casesWith: (crowd) => loads(pressure).flatMap((load) => casesOf(load, crowd)),
});

const casesOf = (load: BenchLoad, crowd: Audience): Case[] => [
  ...ways.map(({ say, ...way }): Case => {
    const measure: Case['measure'] = (place, seconds, signal) =>
      keepSaying(load, (...where) => say(place, newSend(place, ...where)), seconds, signal);
    return { heading: headingOf(load), ...way, measure };
  }),
  {
    heading: headingOf(load),
    name: 'group commit, through sockets',
    measure: (_place, seconds, signal) => crowd.keepSaying(load, seconds, signal),
  },
];
