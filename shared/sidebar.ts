/** A person’s sidebar lists: the order of their servers and favourites, and the collapsed categories. Only they see them. */
import { z } from 'zod';
import { command, Id, Version } from './contract.ts';

/**
 * `servers`: in the person’s order; servers that are not in the list follow, oldest first. `favourites`: channels of any
 * server, in the person’s order. `collapsed`: categories of any server; the order has no meaning.
 */
export const SidebarListName = z.enum(['servers', 'favourites', 'collapsed']);
export type SidebarListName = z.infer<typeof SidebarListName>;

export const SidebarList = z.strictObject({
  list: SidebarListName,
  /** Can include ids that no longer exist, or that the person can no longer see. */
  ids: z.array(z.string()),
  version: Version,
});
export type SidebarList = z.infer<typeof SidebarList>;

const Target = z.strictObject({ list: SidebarListName, targetId: Id });
const One = z.strictObject({ sidebarList: SidebarList });

export const sidebarCommands = {
  'sidebar:place': command({
    summary:
      'Adds a server, channel or category to one of your sidebar lists, or moves it within the list: before the entry `before`, or without it to the end. Your other devices receive the change.',
    input: Target.extend({ before: Id.optional() }),
    output: One,
    errors: ['not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
  'sidebar:remove': command({
    summary:
      'Removes an entry from one of your sidebar lists. Your other devices receive the change.',
    input: Target,
    output: One,
    errors: [],
    rate: 'write',
    who: 'people',
  }),
};
