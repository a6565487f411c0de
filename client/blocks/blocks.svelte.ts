/** Whom I block. */
import type { Block } from '../../shared/blocks.ts';
import { RowsByRoom } from '../rows.svelte.ts';

class Blocks {
  readonly rows = new RowsByRoom<Block>(({ userId }) => userId);
}

export const blocks = new Blocks();
