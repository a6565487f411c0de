/** What can be done with a message, in the order in which it is offered. */
import { Copy, Link, ListChecks, MessageSquareDot, Pencil, Trash2, type IconNode } from 'lucide';
import { isSaid } from './lines.ts';
import { messageParts } from './message-parts.ts';
import type { Target } from './part.ts';

export interface Action {
  label: string;
  icon: IconNode;
  /** An emoji in place of the icon. */
  sign?: string;
  look: 'plain' | 'destructive';
  /** What leaves no trace here answers `true` when it worked. */
  act: (event?: MouseEvent) => unknown;
}

/** What somebody can do with it, and how. */
export interface Acts {
  target: Target;
  mayEdit: boolean;
  mayDelete: boolean;
  oncopy: () => Promise<boolean>;
  oncopylink: () => Promise<boolean>;
  onunread: () => Promise<boolean>;
  onedit: () => void;
  /** Where somebody may delete what others wrote. */
  onselect: (() => void) | undefined;
  /** `sure` when no question is wanted (Shift). */
  ondelete: (how: 'ask' | 'sure') => void;
}

export function actionsFor(acts: Acts): Action[] {
  const edit: Action = {
    label: 'Edit',
    icon: Pencil,
    look: 'plain',
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
  const ofWords: Action[] = [
    ...messageParts.flatMap(({ actions }) => actions?.(acts.target) ?? []),
    { label: 'Copy text', icon: Copy, look: 'plain', act: acts.oncopy },
  ];
  return [
    ...(isSaid(acts.target.line) ? ofWords : []),
    { label: 'Copy link', icon: Link, look: 'plain', act: acts.oncopylink },
    { label: 'Mark unread', icon: MessageSquareDot, look: 'plain', act: acts.onunread },
    ...(acts.mayEdit ? [edit] : []),
    ...(onselect
      ? [{ label: 'Select messages', icon: ListChecks, look: 'plain' as const, act: onselect }]
      : []),
    ...(acts.mayDelete ? [remove] : []),
  ];
}
