import type { ChangeType } from '../../shared/rooms.ts';
import type { Gathering, ListenerKind } from './gathering.ts';
import { grouped, serverKinds } from './kinds.ts';

export interface RecipientCase {
  what?: string;
  /** Causes the change. Returns an id that nobody else must receive in any event. */
  act: (gathering: Gathering) => Promise<string>;
  recipients: readonly ListenerKind[];
  /** People who are notified by another change. */
  also?: readonly ListenerKind[];
  /** Set when people change their kind: in the server alone, or also towards each other. */
  ends?: 'server' | 'everything';
}

/** A type without rows does not compile. */
export type RecipientCases<T extends ChangeType> = { [N in T]: RecipientCase[] };
export type TypeOf<Noun extends string> = Extract<ChangeType, `${Noun}:${string}`>;

export const inServer: readonly ListenerKind[] = [...serverKinds, 'other'];
export const inSecret: readonly ListenerKind[] = ['owner', 'member', 'other'];
export const inGroup: readonly ListenerKind[] = [...grouped, 'other'];
export const inPair: readonly ListenerKind[] = ['participant', 'other'];
