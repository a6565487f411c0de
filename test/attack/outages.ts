/** How long the database was away, as honest people felt it. */
import type { History, Injection } from '../chaos/history.ts';

/** Milliseconds since it went; infinite, if something never came to be. */
export interface Outage {
  what: string;
  /** The nodes could reach what took its place. */
  mended: number;
  /** A message was answered again, */
  first: number;
  /** and all that were sent before everybody was connected again. */
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
