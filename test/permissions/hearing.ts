/** What makes a change come about, and who hears it. */
import type { ChangeType } from '../../shared/rooms.ts';
import type { Gathering, Listener } from './gathering.ts';
import { grouped, inside } from './kinds.ts';

export interface Hearing {
  what?: string;
  /** Does it, and answers with the id of which nobody else must hear in any event. */
  act: (gathering: Gathering) => Promise<string>;
  hears: readonly Listener[];
  /** Those who hear of it by another change. */
  also?: readonly Listener[];
  /** Afterwards not everyone is what they were: to the server alone, or to each other, too. */
  ends?: 'server' | 'everything';
}

/** Each type of change has its rows: one without does not compile. */
export type Hearings<T extends ChangeType> = { [N in T]: Hearing[] };
export type TypeOf<Noun extends string> = Extract<ChangeType, `${Noun}:${string}`>;

export const inServer: readonly Listener[] = [...inside, 'other'];
export const inSecret: readonly Listener[] = ['owner', 'member', 'other'];
export const inGroup: readonly Listener[] = [...grouped, 'other'];
export const inPair: readonly Listener[] = ['participant', 'other'];
