/**
 * The law of who is notified: the one function that decides says what a plainly written model says, for any
 * settings, message and time.
 */
import { expect } from 'chai';
import {
  decideNotification,
  hasKeyword,
  isWithin,
  canNotify,
  type Decision,
  type NotifiableMessage,
  type Recipient,
  type Relation,
} from '../shared/notification-rules.ts';
import type { NotificationSetting } from '../shared/notifications.ts';
import type { Random } from './support/generate.ts';
import { modelOf } from './support/notification-model.ts';
import { lawRandom, lawSeed } from './support/seed.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const before = new Date(now.getTime() - 1_000).toISOString();
const after = new Date(now.getTime() + 1_000).toISOString();

interface Case {
  recipient: Recipient;
  message: NotifiableMessage;
  relation: Relation;
}

function anyCase(random: Random): Case {
  const rows = ['me', 'server', 'timeline'].flatMap((targetId) =>
    random.chance(0.7) ? [anySetting(random, targetId)] : [],
  );
  return {
    recipient: {
      userId: 'me',
      settings: new Map(rows.map((row) => [row.targetId, row])),
      status: random.pick(['online', 'idle', 'dnd', 'invisible']),
    },
    message: {
      timelineId: 'timeline',
      serverId: random.chance(0.6) ? 'server' : undefined,
      authorId: random.chance(0.9) ? 'someone' : 'me',
      body: random.pick(['Tea?', 'tea time', 'steam', 'nothing of the kind', 'TEA']),
      ...(random.chance(0.1) && { kind: 'pin' }),
      ...(random.chance(0.1) && { deletedAt: before }),
    },
    relation: { isMentioned: random.chance(0.3), isUnwanted: random.chance(0.1) },
  };
}

function anySetting(random: Random, targetId: string): NotificationSetting {
  const maybe = <T extends object>(value: T): Partial<T> => (random.chance(0.35) ? value : {});
  return {
    targetId,
    version: 1,
    ...maybe({ level: random.pick(['all', 'mentions', 'nothing'] as const) }),
    ...maybe({ muted: random.pick([{}, { until: before }, { until: after }]) }),
    ...maybe({ exempt: true as const }),
    ...(targetId === 'me' && maybe({ keywords: ['tea'] })),
    ...(targetId === 'me' &&
      maybe({ quietHours: { ...random.pick([day, night]), timeZone: 'UTC' } })),
  };
}

/** Of these it is noon in the first alone. */
const day = { from: 9 * 60, to: 17 * 60 };
const night = { from: 22 * 60, to: 7 * 60 };

/** What the plain model is told of a case. */
function modelled({ recipient, message, relation }: Case): Decision {
  const { settings, status } = recipient;
  const all = settings.get('me');
  const server = message.serverId === undefined ? 'in no server' : settings.get('server');
  const timeline = settings.get('timeline');
  const places = [all, timeline, ...(server === 'in no server' ? [] : [server])];
  return modelOf(
    {
      isMine: message.authorId === 'me',
      isDeleted: message.deletedAt !== undefined,
      isLine: message.kind !== undefined,
      isMentioned: relation.isMentioned,
      isUnwanted: relation.isUnwanted ?? false,
      hasKeyword: all?.keywords !== undefined && ['Tea?', 'tea time', 'TEA'].includes(message.body),
    },
    {
      ...{ all, server, timeline },
      isMuted: places.some((one) => one?.muted && one.muted.until !== before),
      isQuiet: status === 'dnd' || all?.quietHours?.from === day.from,
    },
  );
}

describe('who is notified', () => {
  it(`is what a plain model says, with LAW_SEED=${lawSeed}`, () => {
    const random = lawRandom();
    const counted = { nothing: 0, badge: 0, notification: 0 };
    for (let round = 0; round < 20_000; round += 1) {
      const one = anyCase(random);
      const { recipient, message, relation } = one;
      const decided = decideNotification(recipient, message, relation, now);
      expect(decided, JSON.stringify({ ...one, settings: [...recipient.settings] })).to.equal(
        modelled(one),
      );
      if (decided === 'notification')
        expect(canNotify(recipient, message, relation, now), 'it could').to.equal(true);
      counted[decided] += 1;
    }
    for (const count of Object.values(counted)) expect(count).to.be.greaterThan(500);
  });

  it('depends on the time where one is', () => {
    const hours = { from: 22 * 60, to: 7 * 60, timeZone: 'Asia/Kolkata' };
    const at = (time: string) => isWithin(hours, new Date(`2026-03-01T${time}Z`));
    expect(at('16:29:59'), '21:59 there').to.equal(false);
    expect(at('16:30:00'), '22:00 there').to.equal(true);
    expect(at('01:29:59'), '6:59 there').to.equal(true);
    expect(at('01:30:00'), '7:00 there').to.equal(false);
  });

  for (const [keyword, body, found] of [
    ['tea', 'Tea, anyone?', true],
    ['tea', 'steam', false],
    ['tea', 'teapot', false],
    ['tea', 'steam and tea', true],
    ['tea', 'tea_time', false],
    ['tea party', 'The Tea Party', true],
    ['c++', 'I like C++!', true],
    ['c++', 'I like C++11', true],
    ['お茶', '明日お茶でも', true],
    ['étude', 'une E\u0301tude', true],
    ['😀', 'a😀b', true],
  ] as const)
    it(`by a keyword: ${keyword} in “${body}”`, () => {
      const settings = new Map([['me', { targetId: 'me', version: 1, keywords: [keyword] }]]);
      expect(hasKeyword({ userId: 'me', settings }, body)).to.equal(found);
    });
});
