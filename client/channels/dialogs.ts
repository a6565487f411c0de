import { lazy } from '../ui/lazy.ts';

export const AddMembers = lazy(() => import('./AddMembers.svelte'));
export const ChannelInfo = lazy(() => import('./ChannelInfo.svelte'));
export const ChannelSettings = lazy(() => import('./ChannelSettings.svelte'));
export const CreateChannel = lazy(() => import('./CreateChannel.svelte'));
export const MoveChannel = lazy(() => import('./MoveChannel.svelte'));
export const LeaveChannel = lazy(() => import('./LeaveChannel.svelte'));
