import { lazy } from '../ui/lazy.ts';

export const Above = lazy(() => import('./Above.svelte'));
export const DeleteMessage = lazy(() => import('./DeleteMessage.svelte'));
export const MessageActions = lazy(() => import('./MessageActions.svelte'));
export const MessageEditor = lazy(() => import('./MessageEditor.svelte'));
export const MessageSheet = lazy(() => import('./MessageSheet.svelte'));
export const SelectBox = lazy(() => import('./SelectBox.svelte'));
export const SelectionBar = lazy(() => import('./SelectionBar.svelte'));
export const PlaceLink = lazy(() => import('./PlaceLink.svelte'));
export const ReadOnlyNote = lazy(() => import('./ReadOnlyNote.svelte'));
