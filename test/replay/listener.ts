/** Somebody who reads along and says nothing: heals as the client does (protocol, the client's rules 1 and 6). */
import { setTimeout as sleep } from 'node:timers/promises';
import { timelineRoom, type Room } from '../../shared/rooms.ts';
import type { Entry } from '../../shared/entry.ts';
import { HeldTimeline } from './held.ts';
import { asError } from './patience.ts';
import { signIn, type Signed } from './sign-in.ts';
import { Visitor } from './visitor.ts';

/** How long something early waits for its predecessor, and how often we look unasked. Milliseconds. */
const holdFor = 1_000;
const lookEvery = 25_000;
const comeBackAfter = 500;

export class Listener {
  readonly name: string;
  readonly held = new HeldTimeline();
  readonly #room: Room;
  readonly #timelineId: string;
  readonly #visitor: Visitor;
  readonly #looking: NodeJS.Timeout;
  #epoch = '';
  #missing: NodeJS.Timeout | undefined;
  #reading = false;
  #ended = false;
  /** Why it listens no more. */
  problem: Error | undefined;

  constructor(name: string, url: string, { cookie }: Signed, timelineId: string) {
    this.name = name;
    this.#timelineId = timelineId;
    this.#room = timelineRoom(timelineId);
    this.#visitor = new Visitor(url, cookie, (socket) => {
      socket.on('ready', ({ epoch }) => {
        this.#epoch = epoch;
      });
      socket.on('changes', (stretch) => {
        if (stretch.room !== this.#room) return;
        this.held.hear(stretch);
        this.#attend();
      });
      socket.on('head', ({ room, version }) => {
        if (room === this.#room && this.held.room.receiveHead(version ?? 0)) void this.heal();
      });
      socket.on('disconnect', () => void this.#comeBack());
    });
    this.#looking = setInterval(() => void this.heal(), lookEvery);
  }

  /** Enters the timeline, or catches up with it. */
  async heal(): Promise<void> {
    if (this.held.room.isRequested || this.#ended) return;
    this.held.room.requestStarted();
    try {
      const entry = await this.#question();
      if (entry.status === 'gone') throw new Error(`${this.name} was moved out of the channel.`);
      this.held.answer(entry, this.#epoch);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.held.room.requestEnded();
    }
    this.#attend();
  }

  close() {
    this.#ended = true;
    clearInterval(this.#looking);
    clearTimeout(this.#missing);
    this.#visitor.close();
  }

  async #question(): Promise<Entry> {
    const { cursor: question } = this.held.room;
    if (question.epoch === '')
      return this.#visitor.ask('channel:join', { channelId: this.#timelineId });
    const { epoch, version } = question;
    const answer = await this.#visitor.ask('sync', { epoch, rooms: { [this.#room]: version } });
    this.#epoch = answer.epoch;
    const [entry] = answer.rooms;
    // One room alone always fits its answer.
    return entry === undefined || entry.status === 'later'
      ? { status: 'gone', room: this.#room }
      : entry;
  }

  /** Sees to what is lacking: a predecessor, or pages of history. */
  #attend() {
    if (!this.held.room.hasGap) {
      clearTimeout(this.#missing);
      this.#missing = undefined;
    } else {
      this.#missing ??= setTimeout(() => {
        this.#missing = undefined;
        void this.heal();
      }, holdFor);
    }
    if (!this.#reading) void this.#readUp();
  }

  async #readUp(): Promise<void> {
    this.#reading = true;
    try {
      for (let which = this.held.lacking; which && !this.#ended; which = this.held.lacking) {
        this.held.asksForPage();
        const { timelineId, limit } = { timelineId: this.#timelineId, limit: 100 };
        this.held.addPage(await this.#visitor.ask('message:list', { timelineId, limit, ...which }));
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#reading = false;
    }
  }

  #fail(error: unknown) {
    if (!this.#ended) this.problem = asError(error);
  }

  async #comeBack(): Promise<void> {
    await sleep(comeBackAfter);
    await this.heal();
  }
}

/** Some new listeners, on all nodes in turn, who hold what is there already. */
export async function seatListeners(
  count: number,
  { urls, invite, timelineId }: { urls: readonly string[]; invite: string; timelineId: string },
): Promise<Listener[]> {
  const seated: Listener[] = [];
  for (let number = 1; number <= count; number += 1) {
    const node = (number - 1) % urls.length;
    const url = urls[node] ?? '';
    const signed = await signIn(url, 'guest', { displayName: `Listener ${number}`, invite });
    const where = urls.length > 1 ? `, node ${node + 1}` : '';
    const listener = new Listener(`listener ${number}${where}`, url, signed, timelineId);
    await listener.heal();
    seated.push(listener);
  }
  return seated;
}
