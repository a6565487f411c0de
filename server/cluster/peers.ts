/** The other nodes: how many words of each are known here, and which are missing. */
import { NodeStatus, type Attendance } from './presence-merge.ts';
import type { LeaseCommands } from './lease-scripts.ts';
import type { Word } from './presence-messages.ts';

export interface Peers {
  /** Takes in a word, if it is the next; otherwise notes that there is something to read, and says so. */
  hear(word: Word): 'known' | 'to read';
  /** Compares with who is there; those who are not are dropped, or if `lenient` kept for now. */
  compare(living: string[], lenient: boolean): Promise<void>;
  /** Reads those of whom a word is missing. */
  read(): Promise<void>;
}

export function newPeers(commands: LeaseCommands, attendance: Attendance): Peers {
  const known = new Map<string, number>();
  const unread = new Set<string>();

  function forget(node: string) {
    known.delete(node);
    unread.delete(node);
    attendance.drop(node);
  }

  return {
    hear({ node, seq, people }) {
      const last = known.get(node);
      if (last !== undefined && seq <= last) return 'known';
      if (people === undefined || last === undefined || seq !== last + 1) {
        unread.add(node);
        return 'to read';
      }
      known.set(node, seq);
      attendance.note(
        node,
        Object.entries(people).map(([id, said]) => [id, said ?? undefined] as const),
      );
      return 'known';
    },
    async compare(living, lenient) {
      const seqs = await commands.seqs(living);
      living.forEach((node, i) => {
        if (known.get(node) !== seqs[i]) unread.add(node);
      });
      if (lenient) return;
      for (const node of known.keys()) if (!living.includes(node)) forget(node);
    },
    async read() {
      for (const node of [...unread]) {
        unread.delete(node);
        const { seq, was, people } = await commands.read(node);
        // Gone, or older than what was heard. Were there more to read, the next beat would see it.
        if (seq === 0 || seq < (known.get(node) ?? 0)) continue;
        known.set(node, seq);
        attendance.replace(node, readSaid(people));
        if (was !== '') forget(was);
      }
    },
  };
}

/** What this version does not know is as if it were not said. */
function readSaid(people: Map<string, string>): Map<string, NodeStatus> {
  const known = new Map<string, NodeStatus>();
  for (const [id, text] of people) {
    const { data } = NodeStatus.safeParse(text);
    if (data !== undefined) known.set(id, data);
  }
  return known;
}
