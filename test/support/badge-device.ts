import {
  receiveNews,
  leave,
  replace,
  unreadIn,
  type BadgeMap,
  type BadgeUpdate,
} from '../../client/reads/badges.ts';
import type { Badge, Badges } from '../../shared/reads.ts';
import type { Person } from './person.ts';

export class BadgeDevice {
  person: Person;
  readonly known: BadgeMap = new Map();
  readonly #onchange: () => void;

  constructor(person: Person, onchange: () => void = () => undefined) {
    this.person = person;
    this.#onchange = onchange;
    this.begin(person);
  }

  begin(person: Person): void {
    this.person = person;
    const { socket, ready } = person;
    replace(this.known, ready.timelines, new Map(), []);
    this.#onchange();
    const news = (one: BadgeUpdate) => {
      receiveNews(this.known, one);
      this.#onchange();
    };
    socket.on('activity', ({ timelines }) => {
      for (const [id, activity] of Object.entries(timelines))
        news(activity === null ? { id, ended: true } : { id, came: activity.last, ...activity });
    });
    socket.on('read', ({ timelines, marks = {} }) => {
      for (const [id, read] of Object.entries(timelines)) news({ id, read });
      for (const [id, mark] of Object.entries(marks)) news({ id, mark });
    });
    socket.on('changes', ({ changes }) => {
      for (const change of changes) {
        if ('serverId' in change) leave(this.known, change.serverId);
        // A channel that becomes public keeps the read position of people who see it.
        else if ('channelId' in change && change.type !== 'privateChannel:opened')
          news({ id: change.channelId, ended: true });
        if (change.type === 'message:deleted')
          news({ id: change.message.timelineId, deleted: [change.message.position] });
        if ('conversationId' in change) news({ id: change.conversationId, ended: true });
      }
    });
  }

  get unread(): Record<string, number> {
    const counts = [...this.known].map(([id, badge]) => [id, unreadIn(badge)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0).sort());
  }
}

export const mentionedBy = (badges: Iterable<[string, Badge]>) =>
  Object.fromEntries(
    [...badges]
      .filter(([, { mentions }]) => mentions.length > 0)
      .map(([id, { mentions }]) => [id, mentions.toSorted((a, b) => a - b)] as const)
      .sort(),
  );

export const unreadBy = (badges: Badges) =>
  Object.fromEntries(
    Object.entries(badges)
      .map(([id, badge]) => [id, unreadIn(badge)] as const)
      // Conversations are sent even when they are read.
      .filter(([, count]) => count > 0)
      .sort(),
  );
