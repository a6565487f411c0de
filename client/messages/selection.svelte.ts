import type { Chosen } from './choosing.ts';

/** The messages selected for deletion; undefined without a selection. */
export class Selection {
  chosen = $state.raw<Chosen>();
}
