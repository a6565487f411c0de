import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSocket } from '../support/person.ts';

export interface Frame {
  who: string;
  way: '→' | '←';
  text: string;
  /** Each connection and each command begins a step, because frames that arrive together have no order. */
  step: number;
  chapter: string | undefined;
}

/** The part of a WebSocket that recording needs. */
interface Line {
  send(data: string | Buffer, ...more: unknown[]): void;
  prependListener(event: 'message', listener: (data: Buffer) => void): void;
}

/** In milliseconds: longer than the effects of one commit take to arrive. */
const silence = 50;

export class Recorder {
  readonly frames: Frame[] = [];
  /** The example frame of each event that occurs only at some moments of the story. */
  readonly shown = new Map<string, Frame>();
  chapter: string | undefined;
  #step = 0;
  #lastAt = 0;

  tap(who: string, socket: ClientSocket): ClientSocket {
    const { transport } = socket.io.engine as unknown as { transport: { ws: Line } };
    const send = transport.ws.send.bind(transport.ws);
    this.#step += 1;
    transport.ws.send = (data, ...more) => {
      // Binary data belongs to the previous frame.
      if (typeof data === 'string') {
        if (data.startsWith('4')) this.#step += 1;
        this.#note(who, '→', data);
      }
      send(data, ...more);
    };
    // Before the client itself, because it can answer immediately.
    transport.ws.prependListener('message', (data) => this.#note(who, '←', data.toString()));
    return socket;
  }

  /** Resolves when the effects of the last command have arrived. */
  async quiet(): Promise<void> {
    this.#lastAt = performance.now();
    // Real time, because only waiting shows that nothing arrives.
    while (performance.now() - this.#lastAt < silence) await sleep(silence / 4);
  }

  /** Makes the `event` that `who` receives after `cause` its example. Returns the result of `cause`. */
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
    throw new Error(`${who} never received ${event}`);
  }

  #note(who: string, way: Frame['way'], text: string): void {
    this.#lastAt = performance.now();
    this.frames.push({ who, way, text, step: this.#step, chapter: this.chapter });
  }
}
