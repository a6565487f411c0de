/** What makes a change come about, and who hears it. */
import type { ChangeType } from '../../shared/rooms.ts';
import type { Gathering, ListenerKind } from './gathering.ts';
import { grouped, serverKinds } from './kinds.ts';

export interface Hearing {
  what?: string;
  /** Does it, and answers with the id of which nobody else must hear in any event. */
  act: (gathering: Gathering) => Promise<string>;
  hears: readonly ListenerKind[];
  /** Those who hear of it by another change. */
  also?: readonly ListenerKind[];
  /** Afterwards not everyone is what they were: to the server alone, or to each other, too. */
  ends?: 'server' | 'everything';
}

/** Each type of change has its rows: one without does not compile. */
export type Hearings<T extends ChangeType> = { [N in T]: Hearing[] };
export type TypeOf<Noun extends string> = Extract<ChangeType, `${Noun}:${string}`>;

export const inServer: readonly ListenerKind[] = [...serverKinds, 'other'];
export const inSecret: readonly ListenerKind[] = ['owner', 'member', 'other'];
export const inGroup: readonly ListenerKind[] = [...grouped, 'other'];
export const inPair: readonly ListenerKind[] = ['participant', 'other'];
