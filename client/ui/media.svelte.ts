import { MediaQuery } from 'svelte/reactivity';
import { onePane as wherePanesAreOne } from './one-pane.js';

/** A touch screen: Enter starts a new line, and actions are in a menu. */
export const touch = new MediaQuery('pointer: coarse', false);

export const calm = new MediaQuery('prefers-reduced-motion: reduce', false);

/** One pane at a time: the list, the timeline or the members. */
export const onePane = new MediaQuery(wherePanesAreOne, false);
