/** Of messages what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const DeleteMessage = later(() => import('./DeleteMessage.svelte'));
export const MessageActions = later(() => import('./MessageActions.svelte'));
export const MessageEditor = later(() => import('./MessageEditor.svelte'));
export const MessageSheet = later(() => import('./MessageSheet.svelte'));
export const SelectBox = later(() => import('./SelectBox.svelte'));
export const SelectionBar = later(() => import('./SelectionBar.svelte'));
export const PlaceLink = later(() => import('./PlaceLink.svelte'));
