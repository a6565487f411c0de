/** What can be done with a message, in the order in which it is offered. */
import { Copy, Link, Pencil, Trash2, type IconNode } from 'lucide';

export interface Action {
  label: string;
  icon: IconNode;
  look: 'plain' | 'destructive';
  /** Copying answers `true` when it worked. */
  act: (event?: MouseEvent) => unknown;
}

interface Acts {
  mayEdit: boolean;
  mayDelete: boolean;
  oncopy: () => Promise<boolean>;
  oncopylink: () => Promise<boolean>;
  onedit: () => void;
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
  return [
    { label: 'Copy text', icon: Copy, look: 'plain', act: acts.oncopy },
    { label: 'Copy link', icon: Link, look: 'plain', act: acts.oncopylink },
    ...(acts.mayEdit ? [edit] : []),
    ...(acts.mayDelete ? [remove] : []),
  ];
}
