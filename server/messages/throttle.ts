/**
 * What many say of one message at the same time, each with one touch, is few changes of it, and few packets for each
 * who hears: the first is written at once, and what comes within a pause after that is written together at its end.
 */
import type { Message } from '../../shared/messages.ts';
import type { Clock } from '../node/clock.ts';
import type { Write } from './write.ts';

/** Too short for a waiting person to feel, long enough that a storm is five changes a second. */
const pauseMs = 250;

interface Waiting {
  write: Write;
  resolve: (message: Promise<Message>) => void;
}

export interface Throttle {
  write(write: Write): Promise<Message>;
  /** How many wait. */
  depth(): number;
}

/** `put` queues at once what it is given. */
export function openThrottle(clock: Clock, put: (write: Write) => Promise<Message>): Throttle {
  /** By message, from a write of it until a pause in which none came. */
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
