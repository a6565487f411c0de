import { MediaQuery } from 'svelte/reactivity';
import { onePane as wherePanesAreOne } from './one-pane.js';

/** A finger rather than a mouse: Enter makes a new line, actions sit behind a menu. */
export const touch = new MediaQuery('pointer: coarse', false);

/** Nothing is to move by itself. */
export const calm = new MediaQuery('prefers-reduced-motion: reduce', false);

/** One pane at a time: the list, or the timeline, or the members. */
export const onePane = new MediaQuery(wherePanesAreOne, false);
