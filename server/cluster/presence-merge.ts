import { z } from 'zod';
import type { Status } from '../../shared/presence.ts';

/**
 * What a node may say of somebody who is there. Of two nodes that differ about a person, the one further to
 * the right is believed: so whoever wants not to be seen is not, even where a node has not heard of it yet.
 */
export const NodeStatus = z.enum(['idle', 'online', 'dnd', 'invisible']);
export type NodeStatus = z.infer<typeof NodeStatus>;

/** What each node says of each person, and what that makes together. */
export interface Attendance {
  /** Takes in what a node says of some people; undefined: it has nothing to say of them any more. */
  note(node: string, said: Iterable<readonly [userId: string, said: NodeStatus | undefined]>): void;
  /** Takes in all that a node says: of everyone else it says nothing. */
  replace(node: string, people: ReadonlyMap<string, NodeStatus>): void;
  /** Forgets a node. */
  drop(node: string): void;
  status(userId: string): Status;
  /** All who are not offline. */
  everyone(): string[];
  onChange(listener: (userIds: string[]) => void): void;
}

export function newAttendance(): Attendance {
  const nodes = new Map<string, Map<string, NodeStatus>>();
  const listeners: ((userIds: string[]) => void)[] = [];

  function status(userId: string): Status {
    const said = [...nodes.values()].flatMap((people) => people.get(userId) ?? []);
    const believed = NodeStatus.options.findLast((one) => said.includes(one));
    return believed === undefined || believed === 'invisible' ? 'offline' : believed;
  }

  /** Runs `change` and says for which of these people it made a difference. */
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
