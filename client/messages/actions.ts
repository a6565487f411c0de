import { Copy, Link, ListChecks, MessageSquareDot, Pencil, Trash2 } from 'lucide';
import { isSaid } from './lines.ts';
import { messageParts } from './message-parts.ts';
import type { Action, MessageTarget } from './part.ts';

export interface Acts {
  target: MessageTarget;
  canEdit: boolean;
  canDelete: boolean;
  oncopy: () => Promise<boolean>;
  oncopylink: () => Promise<boolean>;
  onunread: () => Promise<void>;
  onedit: () => void;
  /** Set if the user can delete messages of others. */
  onselect: (() => void) | undefined;
  /** `sure` skips the confirmation (Shift). */
  ondelete: (how: 'ask' | 'sure') => void;
}

export function actionsFor(acts: Acts): Action[] {
  const edit: Action = {
    label: 'Edit',
    icon: Pencil,
    look: 'plain',
    isFrequent: true,
    act: acts.onedit,
  };
  const remove: Action = {
    label: 'Delete',
    icon: Trash2,
    look: 'destructive',
    act: (event) => {
      acts.ondelete(event?.shiftKey ? 'sure' : 'ask');
    },
  };
  const { onselect } = acts;
  const copy: Action = { label: 'Copy text', icon: Copy, look: 'plain', act: acts.oncopy };
  const isWorded = isSaid(acts.target.line);
  const ofParts = isWorded
    ? messageParts.flatMap(({ actions }) => actions?.(acts.target) ?? [])
    : [];
  return [
    ...ofParts.filter(({ isLate }) => !isLate),
    ...(isWorded ? [copy] : []),
    { label: 'Copy link', icon: Link, look: 'plain', act: acts.oncopylink },
    { label: 'Mark unread', icon: MessageSquareDot, look: 'plain', act: acts.onunread },
    ...(acts.canEdit ? [edit] : []),
    ...(onselect
      ? [{ label: 'Select messages', icon: ListChecks, look: 'plain' as const, act: onselect }]
      : []),
    ...ofParts.filter(({ isLate }) => isLate),
    ...(acts.canDelete ? [remove] : []),
  ];
}
