import type { History, Injection } from '../chaos/history.ts';

/** Milliseconds since the database ended. Infinite for events that never happened. */
export interface Outage {
  what: string;
  /** When the nodes could reach the replacement. */
  mended: number;
  first: number;
  /** When all messages sent before every client had reconnected were answered. */
  last: number;
  healed: number;
}

export function outageOf(injection: Injection, { operations }: History): Outage {
  const { fired, injected, mended, healed = Infinity } = injection;
  const answers = (from: number, to: number) =>
    operations
      .filter(({ deed, asked }) => deed === 'send' && asked > from && asked < to)
      .map(({ answered = Infinity }) => answered - injected)
      .filter((after) => after > 0);
  return {
    what: Object.keys(fired).join(' and '),
    mended: mended - injected,
    first: Math.min(...answers(injected, Infinity)),
    last: Math.max(...answers(0, healed)),
    healed: healed - injected,
  };
}
