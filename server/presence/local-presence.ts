/** The people with sockets on this node, and the status that follows from their devices and their choice. */
import type { ChosenStatus } from '../../shared/presence.ts';
import type { Device } from '../realtime/presence.ts';
import type { NodeStatus } from '../cluster/presence-merge.ts';

interface Somebody {
  chosen: ChosenStatus;
  sockets: Map<string, { sessionId: string; active: boolean }>;
}

export interface LocalPresence {
  /** A status known here wins over the `stored` one, because it can be newer. Returns the one that counts. */
  add(device: Device, stored: ChosenStatus): ChosenStatus;
  drop(userId: string, socketId: string): void;
  end(userId: string, sessionId: string): void;
  use(userId: string, socketId: string, active: boolean): void;
  /** False if nothing changes, or if the person has no socket here. */
  choose(userId: string, chosen: ChosenStatus): boolean;
  chosen(): Map<string, ChosenStatus>;
}

/** Calls `say` with a person’s status after each change; with undefined once they have no socket here. */
export function openLocalPresence(
  say: (userId: string, said: NodeStatus | undefined) => void,
): LocalPresence {
  const people = new Map<string, Somebody>();

  function judge(userId: string) {
    const person = people.get(userId);
    if (person?.sockets.size === 0) people.delete(userId);
    say(userId, person && person.sockets.size > 0 ? seen(person) : undefined);
  }

  return {
    add({ userId, sessionId, socketId }, stored) {
      const person = people.get(userId) ?? { chosen: stored, sockets: new Map() };
      people.set(userId, person);
      person.sockets.set(socketId, { sessionId, active: true });
      judge(userId);
      return person.chosen;
    },
    drop(userId, socketId) {
      if (people.get(userId)?.sockets.delete(socketId)) judge(userId);
    },
    end(userId, sessionId) {
      const { sockets } = people.get(userId) ?? {};
      for (const [id, socket] of sockets ?? [])
        if (socket.sessionId === sessionId) sockets?.delete(id);
      if (sockets !== undefined) judge(userId);
    },
    use(userId, socketId, active) {
      const socket = people.get(userId)?.sockets.get(socketId);
      if (socket === undefined) return;
      socket.active = active;
      judge(userId);
    },
    choose(userId, chosen) {
      const person = people.get(userId);
      if (person === undefined || person.chosen === chosen) return false;
      person.chosen = chosen;
      judge(userId);
      return true;
    },
    chosen: () => new Map([...people].map(([id, { chosen }]) => [id, chosen])),
  };
}

/** A chosen status wins. Otherwise the device most in use decides. */
function seen({ chosen, sockets }: Somebody): NodeStatus {
  if (chosen !== 'online') return chosen;
  return [...sockets.values()].some(({ active }) => active) ? 'online' : 'idle';
}
