import { lazy } from '../ui/lazy.ts';

export const NewConversation = lazy(() => import('./NewConversation.svelte'));
export const AddPeople = lazy(() => import('./AddPeople.svelte'));
export const RenameGroup = lazy(() => import('./RenameGroup.svelte'));
export const LeaveGroup = lazy(() => import('./LeaveGroup.svelte'));
export const RequestBar = lazy(() => import('./RequestBar.svelte'));
export const Participants = lazy(() => import('./Participants.svelte'));
