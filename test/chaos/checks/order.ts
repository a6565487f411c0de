/** P3, first half: positions have no gap and follow time; a version is never used twice. */
import type { Finding } from '../findings.ts';
import { groupBy } from '../grouped.ts';
import type { Ended, ReceivedEvent, Operation, Stored } from '../history.ts';

export const checkOrder = (ended: Ended): Finding[] => [
  ...holesInStored(ended),
  ...usedTwice(ended),
  ...againstTime(ended),
];

const holesInStored = ({ stored }: Ended): Finding[] =>
  stored.timelines.flatMap(({ id, version, lastPosition, messages }): Finding[] => {
    const isWhole =
      messages.length === lastPosition && messages.every(({ position }, i) => position === i + 1);
    const isBelow = messages.every((message) => message.version <= version);
    const finding = (text: string): Finding => ({
      promise: 'P3',
      kind: 'out of order',
      text: `timeline ${id}: ${text}`,
    });
    return [
      ...(isWhole
        ? []
        : [finding(`${messages.length} messages on positions up to ${lastPosition}`)]),
      ...(isBelow ? [] : [finding(`a message is newer than version ${version}`)]),
    ];
  });

interface Claim {
  messageId: string;
  body: string;
  at: number;
  by: string;
}

/** Checks each database life by itself: a failover reuses the versions that the standby lacked. */
const usedTwice = ({ history, stored }: Ended): Finding[] =>
  [...history.failovers.map(({ before }) => before), stored].flatMap((stored, life) =>
    usedTwiceIn(
      stored,
      history.deliveries.filter((delivery) => delivery.life === life),
    ),
  );

/** All clients must receive the same content for a version, and the database must agree. */
function usedTwiceIn(stored: Stored, deliveries: ReceivedEvent[]): Finding[] {
  const claims = new Map<string, Claim>();
  const findings: Finding[] = [];
  const claim = (place: string, { messageId, body, at, by }: Claim) => {
    const known = claims.get(place);
    if (known === undefined) claims.set(place, { messageId, body, at, by });
    else if (known.messageId !== messageId || known.body !== body)
      findings.push({
        promise: 'P3',
        kind: 'out of order',
        text: `${place} is “${known.body}” to ${known.by} and “${body}” to ${by}`,
        at,
      });
  };
  for (const { id, version: last, messages } of stored.timelines) {
    for (const { id: messageId, version, body } of messages)
      claim(`version ${version} of ${id}`, { messageId, body, at: 0, by: 'the database' });
    for (const { at, who, to, room } of deliveries)
      if (room === `timeline:${id}` && to > last)
        findings.push({
          promise: 'P3',
          kind: 'different',
          text: `${who} heard version ${to} of ${last}`,
          at,
        });
  }
  for (const { at, who, room, changes } of deliveries)
    for (const { version, messageId, body } of changes)
      claim(`version ${version} of ${room.replace('timeline:', '')}`, {
        messageId,
        body,
        at,
        by: who,
      });
  return findings;
}

/** A send that was requested after the answer to another one must have a later position. */
function againstTime({ history }: Ended): Finding[] {
  const sends = history.operations.filter(
    ({ deed, answers }) => deed === 'send' && answers.length > 0,
  );
  return [...groupBy(sends, ({ timelineId }) => timelineId).values()].flatMap(againstTimeIn);
}

function againstTimeIn(sends: Operation[]): Finding[] {
  const place = (send: Operation | undefined) => send?.answers[0]?.position ?? 0;
  const answered = sends
    .filter((one) => one.answered !== undefined)
    .sort((a, b) => (a.answered ?? 0) - (b.answered ?? 0));
  const findings: Finding[] = [];
  let furthest = 0;
  let next = 0;
  for (const send of sends.toSorted((a, b) => a.asked - b.asked)) {
    for (; (answered[next]?.answered ?? Infinity) < send.asked; next += 1)
      furthest = Math.max(furthest, place(answered[next]));
    if (place(send) < furthest)
      findings.push({
        promise: 'P3',
        kind: 'out of order',
        text: `${send.body} was asked after position ${furthest} was answered, and has ${place(send)}`,
        at: send.asked,
      });
  }
  return findings;
}
