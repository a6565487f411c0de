/** What is asked of a command, and what becomes of it. */
import type { CommandName, Input } from '../../shared/protocol.ts';
import type { Cells } from './kinds.ts';
import type { Group, SceneServer, Scene } from './scene.ts';

type Maybe<T> = T | Promise<T>;

/**
 * What is to be asked: of a place, of a group, of a conversation with the other alone, or of none of these.
 * Whatever it needs is made here, before the caller becomes a friend, or is blocked.
 */
export type Asking<I> =
  | { input: (scene: Scene) => Maybe<I> }
  | { inPlace: (place: SceneServer, scene: Scene) => Maybe<I> }
  | { inGroup: (group: Group, scene: Scene) => Maybe<I> }
  | { inPair: (pair: Group, scene: Scene) => Maybe<I> };

export type PermissionRow<C extends CommandName> = Asking<Input<C>> & {
  what?: string;
  cells: Cells;
  /** Its caller asks nothing else: what other rows make, or what it makes itself, would be in the way. */
  fresh?: true;
  /** Its caller goes on where they are, even if it was allowed. */
  keeps?: true;
};

/** Each command of a feature has its rows: one without does not compile. */
export type PermissionRows<C extends CommandName> = { [N in C]: PermissionRow<N>[] };

/** What these change is in no other row's way. */
export const keeping = <C extends CommandName>(rows: PermissionRow<C>[]): PermissionRow<C>[] =>
  rows.map((row) => ({ ...row, keeps: true }));

export async function rowInput<I>(row: Asking<I>, scene: Scene): Promise<I> {
  if ('inPlace' in row) return row.inPlace(await scene.place(), scene);
  if ('inGroup' in row) return row.inGroup(await scene.group(), scene);
  if ('inPair' in row) return row.inPair(await scene.pair(), scene);
  return row.input(scene);
}
