/** Of files what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const AttachmentBar = later(() => import('./AttachmentBar.svelte'));
export const DropHint = later(() => import('./DropHint.svelte'));
export const FileGrid = later(() => import('./FileGrid.svelte'));
export const Viewer = later(() => import('./Viewer.svelte'));
