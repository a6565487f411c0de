/** What is asked about conversations, fetched when it is. */
import { later } from '../ui/lazy.ts';

export const NewConversation = later(() => import('./NewConversation.svelte'));
export const AddPeople = later(() => import('./AddPeople.svelte'));
export const RenameGroup = later(() => import('./RenameGroup.svelte'));
export const LeaveGroup = later(() => import('./LeaveGroup.svelte'));
export const RequestBar = later(() => import('./RequestBar.svelte'));
export const Participants = later(() => import('./Participants.svelte'));
