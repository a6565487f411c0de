import { lazy } from '../ui/lazy.ts';

export const AllowanceHint = lazy(() => import('./AllowanceHint.svelte'));
export const AttachmentBar = lazy(() => import('./AttachmentBar.svelte'));
export const AttachSheet = lazy(() => import('./AttachSheet.svelte'));
export const CropPicture = lazy(() => import('./CropPicture.svelte'));
export const DropHint = lazy(() => import('./DropHint.svelte'));
export const FileGrid = lazy(() => import('./FileGrid.svelte'));
export const Viewer = lazy(() => import('./Viewer.svelte'));
