import { v7 } from 'uuid';
import { listMessages } from '../../server/messages/messages.ts';
import { reactionWriter } from '../../server/reactions/part.ts';
import type { Account } from '../../shared/accounts.ts';
import type { Message } from '../../shared/messages.ts';
import { writerOn } from '../../server/messages/node-writer.ts';
import type { Act, Case } from './case.ts';
import { costOf, newMessages, publish } from './delivering.ts';
import type { Audience } from './load-process.ts';
import { body, keepSaying } from './load.ts';
import type { BenchPlace } from './place.ts';

export const carryingLegend =
  'Rows that carry more: multiples of the cost of plain ones. A reply quotes a message of an ordinary length; reactions\n' +
  'are two kinds of three people. Writing and reading is by the clock, all stores included; delivering is the server’s own CPU.';

const members = 100;
const page = 50;

type Kind = 'plain' | 'replies' | 'with reactions';
const kinds: readonly Kind[] = ['plain', 'replies', 'with reactions'];

/** A row of one kind, and its timeline, which contains rows of this kind only. */
interface Sample {
  row: Message;
  timelineId: string;
}
type SampleOf = (kind: Kind) => Promise<Sample>;

interface Pressure {
  senders: number;
  inFlight: number;
}

export function carrying(pressure: Pressure, place: BenchPlace): Act {
  const [receiving = '', written = '', ...filled] = place.timelineIds.slice(-8, -3);
  const samples = new Map<Kind, Promise<Sample>>();
  const sampleOf: SampleOf = (kind) => {
    const sample = samples.get(kind) ?? fill(place, filled[kinds.indexOf(kind)] ?? '', kind);
    samples.set(kind, sample);
    return sample;
  };
  return {
    people: members,
    channels: [receiving],
    casesWith: (crowd) => [
      ...writingCases(pressure, written),
      ...[1, 20].flatMap((messages) => deliveringCases(messages, { crowd, receiving, sampleOf })),
      ...readingCases(sampleOf),
    ],
  };
}

async function fill({ node, people }: BenchPlace, timelineId: string, kind: Kind): Promise<Sample> {
  const [user] = people;
  if (user === undefined) throw new Error('there is no such person');
  const say = (replyTo?: Message) =>
    writerOn(node).write({
      ...{ do: 'send', user, timelineId, id: v7(), body },
      ask: replyTo ? { replyTo: replyTo.id } : {},
    });
  const originals = await Promise.all(Array.from({ length: page }, () => say()));
  const said = kind === 'replies' ? await Promise.all(originals.map(say)) : originals;
  let [row] = said;
  if (kind === 'with reactions')
    for (const { id } of said)
      for (const emoji of ['👍', '🎉'])
        for (const reactor of people.slice(0, 3))
          row = await writerOn(node).write({
            ...{ do: 'part', part: reactionWriter, user: reactor, timelineId, id },
            ask: { emoji, on: true },
          });
  if (row === undefined) throw new Error('no message was written');
  return { row, timelineId };
}

const caseOf = (heading: string, kind: Kind): Pick<Case, 'heading' | 'name' | 'isBaseline'> => ({
  heading,
  name: kind,
  ...(kind === 'plain' && { isBaseline: true }),
});

/** A new message has no reactions. A mention has the effect of a reply for its recipient. */
const sends: readonly { name: string; body?: (person: Account) => string; notify?: boolean }[] = [
  { name: 'plain' },
  { name: 'replies that call nobody', notify: false },
  { name: 'replies', notify: true },
  { name: 'mentions', body: ({ id }) => `<@${id}> ${body}` },
];

const writingCases = ({ senders, inFlight: maxInFlight }: Pressure, timelineId: string): Case[] =>
  [1, maxInFlight].flatMap((inFlight) =>
    sends.map(({ name, notify, body: wordsFor = () => body }) => ({
      heading: `writing rows that carry more, ${senders} senders with ${inFlight} under way each`,
      ...{ name, isBaseline: name === 'plain' },
      async measure({ node, people }, seconds, signal) {
        const write = (sender: number, replyTo?: string) => {
          const [user, other] = [people[sender], people[(sender + 1) % senders]];
          if (user === undefined || other === undefined) throw new Error('there is no such person');
          const said = { user, timelineId, id: v7(), body: wordsFor(other) };
          return writerOn(node).write({ do: 'send', ...said, ask: { replyTo, notify } });
        };
        const originals = await Promise.all(people.slice(0, senders).map((_, i) => write(i)));
        const { 'acked/s': perSecond = 0, ...waits } = await keepSaying(
          { senders, inFlight, timelines: 1 },
          (sender) =>
            write(sender, notify === undefined ? undefined : originals[(sender + 1) % senders]?.id),
          seconds,
          signal,
        );
        return { 'µs each': 1_000_000 / perSecond, ...waits };
      },
    })),
  );

const deliveringCases = (
  messages: number,
  { crowd, receiving, sampleOf }: { crowd: Audience; receiving: string; sampleOf: SampleOf },
): Case[] =>
  kinds.map((kind) => ({
    ...caseOf(`delivering rows that carry more, to ${members} members, ${messages} a tick`, kind),
    async measure({ node, db }, seconds, signal) {
      const { row } = await sampleOf(kind);
      const { replyTo, reactions } = row;
      const more = { ...(replyTo && { replyTo }), ...(reactions && { reactions }) };
      const each = await costOf({ members, messages }, { crowd, seconds, signal }, () =>
        publish({ node, db }, receiving, (known) =>
          newMessages(row.authorId, receiving, known, messages, more),
        ),
      );
      return { 'CPU µs each': each, bytes: JSON.stringify({ ...row }).length };
    },
  }));

const readingCases = (sampleOf: SampleOf): Case[] =>
  kinds.map((kind) => ({
    ...caseOf(`reading pages of ${page} rows that carry more`, kind),
    async measure({ node, db, people }, seconds, signal) {
      const { timelineId } = await sampleOf(kind);
      const [user] = people;
      if (user === undefined) throw new Error('there is no such person');
      const caller = { node, db, user, sessionId: '', address: '' };
      let bytes = 0;
      const { 'acked/s': perSecond = 0, ...waits } = await keepSaying(
        { senders: 4, inFlight: 1, timelines: 1 },
        async () => {
          const answer = await listMessages(caller, { timelineId, limit: page });
          bytes = JSON.stringify(answer).length;
        },
        seconds,
        signal,
      );
      return { 'ms each': 1_000 / perSecond, bytes, ...waits };
    },
  }));
