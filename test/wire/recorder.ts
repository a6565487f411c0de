/** Writes down what goes over the wire, frame by frame, as it goes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSocket } from '../support/person.ts';

export interface Frame {
  who: string;
  /** To the server, or from it. */
  way: '→' | '←';
  text: string;
  /** Each connection and each command begins one: what is heard at once has no order of its own. */
  step: number;
  /** The chapter of the walk that it belongs to. */
  chapter: string | undefined;
}

/** What of a WebSocket is needed to listen in. */
interface Line {
  send(data: string | Buffer, ...more: unknown[]): void;
  prependListener(event: 'message', listener: (data: Buffer) => void): void;
}

/** In milliseconds: longer than what one commit causes takes to arrive. */
const silence = 50;

export class Recorder {
  readonly frames: Frame[] = [];
  /** The frame that shows each event that only some moments of the story bring about. */
  readonly shown = new Map<string, Frame>();
  chapter: string | undefined;
  #step = 0;
  #lastAt = 0;

  /** Listens in on a socket from its first frame on. */
  tap(who: string, socket: ClientSocket): ClientSocket {
    const { transport } = socket.io.engine as unknown as { transport: { ws: Line } };
    const send = transport.ws.send.bind(transport.ws);
    this.#step += 1;
    transport.ws.send = (data, ...more) => {
      // Bytes belong to the frame before them.
      if (typeof data === 'string') {
        if (data.startsWith('4')) this.#step += 1;
        this.#note(who, '→', data);
      }
      send(data, ...more);
    };
    // Before the client itself, which may answer at once.
    transport.ws.prependListener('message', (data) => this.#note(who, '←', data.toString()));
    return socket;
  }

  /** Until nothing more comes of what was said last. */
  async quiet(): Promise<void> {
    this.#lastAt = performance.now();
    // Real: that nothing comes is seen by waiting alone.
    while (performance.now() - this.#lastAt < silence) await sleep(silence / 4);
  }

  /** What somebody hears of it, by an event of this name, is the event's example. Returns what the cause does. */
  async shows<T>(who: string, event: string, cause: () => Promise<T>): Promise<T> {
    const from = this.frames.length;
    const isIt = (frame: Frame) =>
      frame.who === who && frame.way === '←' && frame.text.startsWith(`42["${event}",`);
    const caused = await cause();
    for (let waited = 0; waited < 10_000; waited += silence) {
      const found = this.frames.slice(from).find(isIt);
      if (found !== undefined) {
        this.shown.set(event, found);
        return caused;
      }
      await sleep(silence);
    }
    throw new Error(`${who} never heard ${event}`);
  }

  #note(who: string, way: Frame['way'], text: string): void {
    this.#lastAt = performance.now();
    this.frames.push({ who, way, text, step: this.#step, chapter: this.chapter });
  }
}
