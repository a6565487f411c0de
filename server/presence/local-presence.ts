/** Who has sockets on this node, which of them are in use, and what follows from that. */
import type { ChosenStatus } from '../../shared/presence.ts';
import type { Device } from '../realtime/presence.ts';
import type { NodeStatus } from '../cluster/presence-merge.ts';

interface Somebody {
  chosen: ChosenStatus;
  sockets: Map<string, { sessionId: string; active: boolean }>;
}

export interface LocalPresence {
  /** `stored` is what they had chosen; what is known here already may be newer. Returns what counts. */
  add(device: Device, stored: ChosenStatus): ChosenStatus;
  drop(userId: string, socketId: string): void;
  /** Drops all sockets of a session. */
  end(userId: string, sessionId: string): void;
  use(userId: string, socketId: string, active: boolean): void;
  /** False if that is what they had chosen already, or nobody of that name is here. */
  choose(userId: string, chosen: ChosenStatus): boolean;
  /** Everybody here, and what they have chosen. */
  chosen(): Map<string, ChosenStatus>;
}

/** Calls `say` with what is to be said of a person, whenever something of theirs has changed. */
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

/** What was chosen counts, whatever the devices do; else the one most in use. */
function seen({ chosen, sockets }: Somebody): NodeStatus {
  if (chosen !== 'online') return chosen;
  return [...sockets.values()].some(({ active }) => active) ? 'online' : 'idle';
}
