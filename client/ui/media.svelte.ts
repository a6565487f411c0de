import { MediaQuery } from 'svelte/reactivity';

/** A finger rather than a mouse: Enter makes a new line, actions sit behind a menu. */
export const touch = new MediaQuery('pointer: coarse', false);
