import { z } from 'zod';
import type { Status } from '../../shared/presence.ts';

/**
 * A person's status on one node. When two nodes differ, the status further to the right counts: so a person who
 * chose to be invisible is invisible even where a node does not know it yet.
 */
export const NodeStatus = z.enum(['idle', 'online', 'dnd', 'invisible']);
export type NodeStatus = z.infer<typeof NodeStatus>;

/** The status of each person on each node, merged into one. */
export interface MergedPresence {
  /** Sets the statuses of some people on a node; undefined removes one. */
  note(node: string, said: Iterable<readonly [userId: string, said: NodeStatus | undefined]>): void;
  /** Sets all statuses of a node, in place of those before. */
  replace(node: string, people: ReadonlyMap<string, NodeStatus>): void;
  /** Removes a node with all its statuses. */
  drop(node: string): void;
  status(userId: string): Status;
  /** The ids of all who are not offline. */
  everyone(): string[];
  onChange(listener: (userIds: string[]) => void): void;
}

export function newMergedPresence(): MergedPresence {
  const nodes = new Map<string, Map<string, NodeStatus>>();
  const listeners: ((userIds: string[]) => void)[] = [];

  function status(userId: string): Status {
    let believed = -1;
    for (const people of nodes.values()) {
      const said = people.get(userId);
      if (said !== undefined) believed = Math.max(believed, NodeStatus.options.indexOf(said));
    }
    const status = NodeStatus.options[believed] ?? 'invisible';
    return status === 'invisible' ? 'offline' : status;
  }

  /** Runs `change`, then tells the listeners which of these people have another status. */
  function compare(userIds: Iterable<string>, change: () => void): void {
    const before = new Map([...userIds].map((id) => [id, status(id)]));
    change();
    const changed = [...before].filter(([id, was]) => status(id) !== was).map(([id]) => id);
    if (changed.length > 0) for (const listener of listeners) listener(changed);
  }

  return {
    status,
    note(node, said) {
      const changes = [...said];
      compare(
        changes.map(([id]) => id),
        () => {
          const people = nodes.get(node) ?? new Map<string, NodeStatus>();
          nodes.set(node, people);
          for (const [id, said] of changes)
            if (said === undefined) people.delete(id);
            else people.set(id, said);
        },
      );
    },
    replace(node, people) {
      const before = nodes.get(node)?.keys() ?? [];
      compare(new Set([...before, ...people.keys()]), () => nodes.set(node, new Map(people)));
    },
    drop(node) {
      compare(nodes.get(node)?.keys() ?? [], () => nodes.delete(node));
    },
    everyone() {
      const all = new Set([...nodes.values()].flatMap((people) => [...people.keys()]));
      return [...all].filter((id) => status(id) !== 'offline');
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
