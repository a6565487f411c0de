import type { CommandName, Input } from '../../shared/protocol.ts';
import type { Cells } from './kinds.ts';
import type { Group, SceneServer, Scene } from './scene.ts';

type Maybe<T> = T | Promise<T>;

/** The input, in a place, a group, a pair or none. It creates all it needs before the caller is tied to the other. */
export type Asking<I> =
  | { input: (scene: Scene) => Maybe<I> }
  | { inPlace: (place: SceneServer, scene: Scene) => Maybe<I> }
  | { inGroup: (group: Group, scene: Scene) => Maybe<I> }
  | { inPair: (pair: Group, scene: Scene) => Maybe<I> };

export type PermissionRow<C extends CommandName> = Asking<Input<C>> & {
  what?: string;
  cells: Cells;
  /** The caller runs nothing else, because data of other rows, or of this one, would interfere. */
  fresh?: true;
  /** The caller keeps the scene, even after success. */
  keeps?: true;
};

/** A command without rows does not compile. */
export type PermissionRows<C extends CommandName> = { [N in C]: PermissionRow<N>[] };

/** Marks rows whose changes do not affect others. */
export const keeping = <C extends CommandName>(rows: PermissionRow<C>[]): PermissionRow<C>[] =>
  rows.map((row) => ({ ...row, keeps: true }));

export async function rowInput<I>(row: Asking<I>, scene: Scene): Promise<I> {
  if ('inPlace' in row) return row.inPlace(await scene.place(), scene);
  if ('inGroup' in row) return row.inGroup(await scene.group(), scene);
  if ('inPair' in row) return row.inPair(await scene.pair(), scene);
  return row.input(scene);
}
