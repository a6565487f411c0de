/**
 * Merges many small writes to one message, such as reactions, into few changes, and so into few packets for each
 * client. The first write goes through at once. Writes within a pause after it are written together at its end.
 */
import type { Message } from '../../shared/messages.ts';
import type { Clock } from '../node/clock.ts';
import type { Write } from './write.ts';

/** Too short to notice. Bounds a storm of writes to one message to about four changes a second. */
const pauseMs = 250;

interface Waiting {
  write: Write;
  resolve: (message: Promise<Message>) => void;
}

export interface Throttle {
  write(write: Write): Promise<Message>;
  depth(): number;
}

export function openThrottle(clock: Clock, put: (write: Write) => Promise<Message>): Throttle {
  /** Waiting writes by message. An entry lasts until a pause in which no write arrived. */
  const paused = new Map<string, Waiting[]>();
  let depth = 0;

  const beginPause = (id: string) => {
    paused.set(id, []);
    clock.after(pauseMs, () => endPause(id));
  };

  const endPause = (id: string) => {
    const waiting = paused.get(id) ?? [];
    if (waiting.length === 0) paused.delete(id);
    else beginPause(id);
    depth -= waiting.length;
    for (const { write, resolve } of waiting) resolve(put(write));
  };

  return {
    depth: () => depth,
    write(write) {
      const waiting = paused.get(write.id);
      if (waiting === undefined) {
        beginPause(write.id);
        return put(write);
      }
      depth += 1;
      return new Promise((resolve) => waiting.push({ write, resolve }));
    },
  };
}
