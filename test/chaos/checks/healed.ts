/** P4: a lost delivery is healed within 30 seconds; without faults, no delivery is lost. */
import type { Finding } from '../findings.ts';
import { groupBy } from '../grouped.ts';
import type { Ended, History, Operation, ConnectionTurn } from '../history.ts';

/** Milliseconds. */
export const healWithin = 30_000;
/** Milliseconds. Changes answered within this time before the end of the calm can still be in delivery. */
const onItsWay = 1_500;

export const checkHealed = ({ history }: Ended): Finding[] => [
  ...history.injections.flatMap(
    ({ fired, injected, mended, healed = Infinity, lacking }): Finding[] =>
      healed - mended <= healWithin
        ? []
        : [
            {
              promise: 'P4',
              kind: 'not healed',
              text: `${Object.keys(fired).join(' and ')}: not healed after 30 s: ${lacking ?? 'too late'}`,
              at: injected,
            },
          ],
  ),
  ...lostInCalm(history),
];

/** Healing hides a loss, so each change in the calm must reach every client without a request. */
function lostInCalm(history: History): Finding[] {
  const clients = [...groupBy(history.turns, ({ who }) => who)].map(([who, turns]) => ({
    who,
    turns,
    received: history.deliveries.filter((delivery) => delivery.who === who),
  }));
  const changes = history.operations
    .filter(
      ({ answered = Infinity, answers }) =>
        answered < history.calmUntil - onItsWay && answers.length > 0,
    )
    .filter(({ timelineId }) => timelineId !== undefined);
  return changes.flatMap((change) =>
    clients.flatMap(({ who, turns, received }): Finding[] => {
      const room = `timeline:${change.timelineId}`;
      const version = versionOf(change);
      if (!isInside(turns, room, change, history.calmUntil)) return [];
      if (
        received.some(
          ({ room: there, from, to }) => there === room && from < version && version <= to,
        )
      )
        return [];
      return [
        {
          promise: 'P4',
          kind: 'lost on the way',
          text: `${who} was not told of ${change.deed} ${change.messageId}`,
          at: change.asked,
        },
      ];
    }),
  );
}

/** The lowest version: a retry returns the current message, which can have changed again. */
const versionOf = ({ answers }: Operation) => Math.min(...answers.map(({ version }) => version));

/** True when the client was in the room from before the request until the end of the calm. */
function isInside(
  turns: ConnectionTurn[],
  room: string,
  { asked }: Operation,
  until: number,
): boolean {
  const before = turns.filter(({ at }) => at < asked);
  const concerns = (turn: ConnectionTurn) =>
    turn.what === 'lost' || (turn.what === 'moved out' && turn.room === room);
  const entered = before.findLastIndex((turn) => turn.what === 'entered' && turn.room === room);
  return (
    entered !== -1 && !turns.some((turn, i) => i > entered && turn.at <= until && concerns(turn))
  );
}
