import { MediaQuery } from 'svelte/reactivity';
import { onePane as wherePanesAreOne } from './one-pane.js';

/** A touch screen: Enter starts a new line, and actions are in a menu. */
export const touch = new MediaQuery('pointer: coarse', false);

export const calm = new MediaQuery('prefers-reduced-motion: reduce', false);

export const roomForMembers = new MediaQuery('min-width: 1100px', true);

export const onePane = new MediaQuery(wherePanesAreOne, false);
