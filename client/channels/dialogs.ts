/** What is asked about a channel, and seldom. */
import { later } from '../ui/lazy.ts';

export const AddMembers = later(() => import('./AddMembers.svelte'));
export const ChannelInfo = later(() => import('./ChannelInfo.svelte'));
export const ChannelSettings = later(() => import('./ChannelSettings.svelte'));
export const CreateChannel = later(() => import('./CreateChannel.svelte'));
export const MoveChannel = later(() => import('./MoveChannel.svelte'));
export const LeaveChannel = later(() => import('./LeaveChannel.svelte'));
