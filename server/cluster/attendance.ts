import type { Status } from '../../shared/presence.ts';

/** What each node says of each person, and what that makes together. */
export interface Attendance {
  /** Takes in what a node says of some people; undefined: it has nothing to say of them any more. */
  note(node: string, said: Iterable<readonly [userId: string, status: Status | undefined]>): void;
  /** Takes in all that a node says: of everyone else it says nothing. */
  replace(node: string, people: ReadonlyMap<string, Status>): void;
  /** Forgets a node. */
  drop(node: string): void;
  status(userId: string): Status;
  onChange(listener: (userIds: string[]) => void): void;
}

/** Of two nodes that differ about a person, the one further to the right is believed. */
const order: Status[] = ['offline', 'idle', 'online', 'dnd'];

export function newAttendance(): Attendance {
  const nodes = new Map<string, Map<string, Status>>();
  const listeners: ((userIds: string[]) => void)[] = [];

  function status(userId: string): Status {
    let rank = 0;
    for (const people of nodes.values())
      rank = Math.max(rank, order.indexOf(people.get(userId) ?? 'offline'));
    return order[rank] ?? 'offline';
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
          const people = nodes.get(node) ?? new Map<string, Status>();
          nodes.set(node, people);
          for (const [id, status] of changes)
            if (status === undefined) people.delete(id);
            else people.set(id, status);
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
    onChange: (listener) => void listeners.push(listener),
  };
}
