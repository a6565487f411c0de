import { setImmediate as turn } from 'node:timers/promises';
import { Notifier, type NotifiedMessage } from '../../client/notifications/notifier.ts';
import type { Message } from '../../shared/messages.ts';
import { canNotify, decideNotification } from '../../shared/notification-rules.ts';
import type { NotificationSetting } from '../../shared/notifications.ts';
import type { ChosenStatus } from '../../shared/presence.ts';
import { BadgeDevice } from './badge-device.ts';
import type { Place } from './notification-scene.ts';
import { connectAs, type Person } from './person.ts';

/** A device that shows notifications, with a record of all that it showed. */
export class NotifyingDevice {
  readonly settings = new Map<string, NotificationSetting>();
  status: ChosenStatus = 'online';
  readonly notified: string[] = [];
  open: (NotifiedMessage & { id: string })[] = [];
  lookedAt: string | undefined;
  now = new Date();
  /** Answers of `message:list` are withheld until this resolves. */
  answering: Promise<unknown> = Promise.resolve();
  /** How many notifications the browser will refuse to show. */
  refuses = 0;
  readonly badges: BadgeDevice;
  readonly #place: Place;
  readonly #notifier: Notifier;
  #due: (() => void)[] = [];
  #pending: Promise<unknown>[] = [];

  constructor(person: Person, place: Place) {
    this.#place = place;
    this.#notifier = new Notifier({
      list: (timelineId, after, limit) => this.#list(timelineId, after, limit),
      badge: (id) => this.badges.known.get(id),
      canNotify: (timelineId, isMentioned) =>
        canNotify(this.#me, this.#targetOf(timelineId), { isMentioned }, this.now),
      notifies: (message, isMentioned) => {
        const target = { ...message, ...this.#targetOf(message.timelineId) };
        return decideNotification(this.#me, target, { isMentioned }, this.now) === 'notification';
      },
      isNotifying: (timelineId) => Promise.resolve(this.lookedAt !== timelineId),
      show: ({ id, timelineId, position }) => {
        if (this.refuses > 0) {
          this.refuses -= 1;
          return Promise.reject(new Error('not shown'));
        }
        this.notified.push(id);
        this.open.push({ id, timelineId, position });
        return Promise.resolve();
      },
      closeRead: (isRead) => void (this.open = this.open.filter((notified) => !isRead(notified))),
      after: (_ms, callback) => void this.#due.push(callback),
    });
    this.badges = new BadgeDevice(person, () => {
      // The first badges arrive before `badges` is assigned.
      queueMicrotask(() => {
        this.#notifier.look(this.badges.known);
      });
    });
    this.#listen(person);
  }

  get person(): Person {
    return this.badges.person;
  }

  comeBack(person: Person): void {
    this.badges.begin(person);
    this.#listen(person);
  }

  #listen({ ready, socket }: Person): void {
    const { state } = ready as unknown as {
      state: { notificationSettings: NotificationSetting[] };
    };
    this.settings.clear();
    for (const one of state.notificationSettings) this.settings.set(one.targetId, one);
    this.status = ready.seenAs;
    socket.on('seenAs', ({ status }) => void (this.status = status));
    socket.on('changes', ({ changes }) => {
      for (const change of changes) {
        if (change.type === 'notificationSetting:updated')
          this.settings.set(change.setting.targetId, change.setting);
        if (change.type === 'notificationSetting:deleted') this.settings.delete(change.targetId);
      }
    });
  }

  get #me() {
    return { userId: this.person.id, settings: this.settings, status: this.status };
  }

  #targetOf(timelineId: string) {
    const isChannel = this.#place.channelIds.includes(timelineId);
    return { timelineId, serverId: isChannel ? this.#place.serverId : undefined };
  }

  #list(timelineId: string, after: number, limit: number): Promise<Message[]> {
    const asked = this.person.send('message:list', { timelineId, after, limit });
    const answered = asked.then(async ({ messages }) => {
      await this.answering;
      return messages;
    });
    this.#pending.push(answered);
    return answered;
  }

  /** Ends the time that people are given to read, and waits for the notifications that follow. */
  async pass(): Promise<void> {
    for (const due of this.#due.splice(0)) due();
    // The check whether this tab notifies comes first, and is asynchronous.
    await turn();
    await Promise.all(this.#pending.splice(0));
    await turn();
  }
}

/** Opens a device for each person, on the nodes in turn. */
export const openDevices = (people: Person[], place: Place, urls: string[]) =>
  Promise.all(
    people.map(async (person, i) => {
      const url = urls[i % urls.length] ?? person.url;
      return new NotifyingDevice(await connectAs(url, person.cookie), place);
    }),
  );
