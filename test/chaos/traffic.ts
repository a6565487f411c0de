/** Seeded traffic: clients send, edit and delete, leave and join, and are kicked and banned. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { seeded, type Random } from '../support/generate.ts';
import type { OperationLog } from './asking.ts';
import { signInElsewhere } from './session-churn.ts';
import {
  enterAll,
  isSwitchedOff,
  type Crowd,
  type ClientDevice,
  type Participant,
} from './crowd.ts';

/** Average milliseconds between two operations of one device. */
const usualPause = 500;
/** Number of newest messages of a timeline that can be edited or deleted. */
const reach = 80;

export class Traffic {
  readonly #crowd: Crowd;
  readonly #log: OperationLog;
  readonly #seed: number;
  readonly #pause: number;
  #loops: Promise<void>[] = [];
  #sending = false;
  #rounds = 0;
  #said = 0;
  /** While true, participants with two devices send each message from both. */
  twice = false;
  sentTwice = 0;

  constructor(crowd: Crowd, log: OperationLog, how: { seed: number; pause?: number | undefined }) {
    this.#crowd = crowd;
    this.#log = log;
    this.#seed = how.seed;
    this.#pause = how.pause ?? usualPause;
  }

  begin(): void {
    this.#sending = true;
    this.#rounds += 1;
    const senders = [this.#crowd.host, ...this.#crowd.guests];
    this.#loops = senders.flatMap((person, i) =>
      person.devices.map((device, j) =>
        this.#keepOn(person, device, seeded(this.#seed + this.#rounds * 10_007 + i * 101 + j)),
      ),
    );
    this.#loops.push(signInElsewhere(this.#crowd, this.#log, this.#isRunning));
  }

  /** Starts no new operations. Resolves when all are answered and all members have entered their rooms. */
  async end(): Promise<void> {
    this.#sending = false;
    await Promise.all(this.#loops);
    await Promise.all(
      this.#crowd.everybody.map(async (person) => {
        if (person.isOut || isSwitchedOff(person)) return;
        const answer = await this.#log.until(() => enterAll(this.#crowd, person));
        person.isOut = answer === 'not_found';
      }),
    );
  }

  async #keepOn(person: Participant, device: ClientDevice, random: Random): Promise<void> {
    while (this.#isRunning()) {
      await sleep(random.int(0, 2 * this.#pause));
      if (this.#isRunning()) await this.#act(person, device, random);
    }
  }

  #isRunning = () => this.#sending;

  #act(person: Participant, device: ClientDevice, random: Random): Promise<unknown> {
    const { client } = device;
    if (person.isMoving) return Promise.resolve();
    if (person.isOut) return this.#comeBack(person);
    if (!client.isIn(serverRoom(this.#crowd.serverId))) return this.#openAgain(person);
    const choice = random.int(1, 100);
    if (choice > 95) return this.#move(person, random);
    if (choice > 90) return this.#lookElsewhere(person, device, random);
    const mine = choice > 75 ? random.pick([...this.#mine(device), undefined]) : undefined;
    if (mine === undefined) return this.#send(person, device, random);
    return choice > 85 ? this.#delete(device, mine) : this.#edit(device, mine);
  }

  #send(person: Participant, device: ClientDevice, random: Random): Promise<unknown> {
    const [busy = '', seldom = '', hardly = ''] = this.#crowd.timelineIds;
    const timelineId = random.pick([
      ...Array<string>(6).fill(busy),
      ...Array<string>(3).fill(seldom),
      hardly,
    ]);
    const [id, body] = [v7(), this.#newBody()];
    const operation = this.#log.note('send', person.userId, { timelineId, messageId: id, body });
    const by = this.twice ? person.devices : [device];
    if (by.length > 1) this.sentTwice += 1;
    return Promise.all(
      by.map(({ client }) =>
        this.#log.insist(operation, () => client.write('message:send', { timelineId, id, body })),
      ),
    );
  }

  #edit({ client }: ClientDevice, { id: messageId, timelineId, version: base }: Message) {
    const body = this.#newBody();
    const operation = this.#log.note('edit', client.userId, { timelineId, messageId, body });
    return this.#log.insist(operation, () =>
      client.write('message:edit', { messageId, body, base }),
    );
  }

  #delete({ client }: ClientDevice, { id: messageId, timelineId }: Message) {
    const operation = this.#log.note('delete', client.userId, { timelineId, messageId });
    return this.#log.insist(operation, () => client.write('message:delete', { messageId }));
  }

  /** Leaves a timeline for a while, then enters it again with the held version. */
  async #lookElsewhere(
    person: Participant,
    { client }: ClientDevice,
    random: Random,
  ): Promise<void> {
    const room = timelineRoom(random.pick(this.#crowd.timelineIds));
    if (client.isIn(room)) client.leave(room);
    await sleep(random.int(0, 2 * this.#pause));
    if (!person.isMoving && !person.isOut) await this.#openAgain(person);
  }

  async #move(person: Participant, random: Random): Promise<void> {
    const { guests, serverId, host } = this.#crowd;
    const one = person === host || random.chance(0.7) ? random.pick(guests) : person;
    if (one.isMoving || one.isOut) return;
    one.isMoving = true;
    const { userId } = one;
    const deed = one === person ? 'leave' : random.pick(['kick', 'kick', 'ban'] as const);
    const hand = (one === person ? one : host).devices[0]?.client;
    const operation = this.#log.note(deed, userId);
    await this.#log.insist(operation, async () => {
      if (deed === 'leave') await hand?.ask('server:leave', { serverId });
      else await hand?.ask(deed === 'kick' ? 'member:remove' : 'ban:create', { serverId, userId });
      return undefined;
    });
    // Also after a refusal: a join by a member does no harm.
    one.isOut = true;
    one.isBanned = deed === 'ban';
    one.isMoving = false;
  }

  async #comeBack(person: Participant): Promise<void> {
    const { invite: code, host, serverId } = this.#crowd;
    const { userId } = person;
    person.isMoving = true;
    if (person.isBanned)
      await this.#log.until(() => host.devices[0]?.client.ask('ban:delete', { serverId, userId }));
    person.isBanned = false;
    const operation = this.#log.note('join', userId);
    await this.#log.insist(operation, async () => {
      await person.devices[0]?.client.ask('server:join', { code });
      return undefined;
    });
    person.isOut = operation.refused !== undefined;
    person.isMoving = false;
    if (!person.isOut) await this.#openAgain(person);
  }

  /** Enters all rooms; `not_found` means that the participant is no longer a member. */
  async #openAgain(person: Participant): Promise<void> {
    await enterAll(this.#crowd, person).catch((error: unknown) => {
      if (error instanceof ChatError && error.code === 'not_found') person.isOut = true;
    });
  }

  #mine({ client }: ClientDevice): Message[] {
    return this.#crowd.timelineIds.flatMap((id) =>
      (client.timeline(id)?.messages ?? [])
        .slice(-reach)
        .filter(({ authorId, deletedAt }) => authorId === client.userId && deletedAt === undefined),
    );
  }

  #newBody = () => `${this.#seed}-${(this.#said += 1)}`;
}
