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
} from '../../shared/notification-rules.ts';
import type { NotificationSetting } from '../../shared/notifications.ts';
import { modelOf } from '../support/notification-model.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const before = new Date(now.getTime() - 1_000).toISOString();
const after = new Date(now.getTime() + 1_000).toISOString();

interface Case {
  recipient: Recipient;
  message: NotifiableMessage;
  relation: Relation;
}

const levels = [undefined, 'all', 'mentions', 'nothing'] as const;
const targets = ['me', 'server', 'timeline'] as const;

function* allChoices() {
  for (const [all, server, timeline] of product(levels, levels, levels))
    for (const [mutedAt, muted] of [
      [undefined, {}],
      ['me', { until: before }],
      ['me', { until: after }],
      ['server', {}],
      ['timeline', { until: after }],
    ] as const)
      for (const exemptAt of [undefined, ...targets, 'someone'])
        for (const quiet of ['no', 'dnd', day] as const) {
          const chosenLevels = { me: all, server, timeline, someone: undefined };
          const settings = new Map<string, NotificationSetting>();
          for (const targetId of [...targets, 'someone'] as const) {
            const level = chosenLevels[targetId];
            settings.set(targetId, {
              ...{ targetId, version: 1 },
              ...(level && { level }),
              ...(mutedAt === targetId && { muted }),
              ...(exemptAt === targetId && { exempt: true as const }),
              ...(targetId === 'me' && { keywords: ['tea'] }),
              ...(targetId === 'me' &&
                typeof quiet === 'object' && { quietHours: { ...quiet, timeZone: 'UTC' } }),
            });
          }
          yield { settings, status: quiet === 'dnd' ? ('dnd' as const) : ('online' as const) };
        }
}

function* allMessages(): Generator<Omit<Case, 'recipient'>> {
  for (const [serverId, body, isMentioned, what] of product(
    [undefined, 'server'],
    ['tea time', 'steam'],
    [false, true],
    ['plain', 'mine', 'deleted', 'line', 'unwanted'] as const,
  ))
    yield {
      message: {
        timelineId: 'timeline',
        ...{ serverId, body },
        authorId: what === 'mine' ? 'me' : 'someone',
        ...(what === 'line' && { kind: 'pin' }),
        ...(what === 'deleted' && { deletedAt: before }),
      },
      relation: { isMentioned, isUnwanted: what === 'unwanted' },
    };
}

function product<L extends readonly (readonly unknown[])[]>(...lists: L) {
  return lists.reduce<unknown[][]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  ) as { [I in keyof L]: L[I][number] }[];
}

/** Noon is in `day` only. */
const day = { from: 9 * 60, to: 17 * 60 };
const night = { from: 22 * 60, to: 7 * 60 };

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
      hasKeyword: all?.keywords !== undefined && message.body === 'tea time',
    },
    {
      ...{ all, server, timeline, author: settings.get(message.authorId) },
      isMuted: places.some((one) => one?.muted && one.muted.until !== before),
      isQuiet: status === 'dnd' || all?.quietHours?.from === day.from,
    },
  );
}

describe('the decision to notify', () => {
  it('matches a plain model for every combination of settings and message', () => {
    const messages = [...allMessages()];
    const counted = { nothing: 0, badge: 0, notification: 0 };
    for (const chosen of allChoices())
      for (const { message, relation } of messages) {
        const recipient: Recipient = { userId: 'me', ...chosen };
        const decided = decideNotification(recipient, message, relation, now);
        const expected = modelled({ recipient, message, relation });
        const about = () =>
          JSON.stringify({ ...chosen, settings: [...chosen.settings], message, relation });
        if (decided !== expected) expect.fail(`${decided}, not ${expected}: ${about()}`);
        if (decided === 'notification' && !canNotify(recipient, message, relation, now))
          expect.fail(`it could not notify, but does: ${about()}`);
        counted[decided] += 1;
      }
    for (const count of Object.values(counted)) expect(count).to.be.greaterThan(5_000);
  });

  it('uses the time zone of the quiet hours', () => {
    const hours = { from: 22 * 60, to: 7 * 60, timeZone: 'Asia/Kolkata' };
    const at = (time: string) => isWithin(hours, new Date(`2026-03-01T${time}Z`));
    expect(at('16:29:59'), '21:59 there').to.equal(false);
    expect(at('16:30:00'), '22:00 there').to.equal(true);
    expect(at('01:29:59'), '6:59 there').to.equal(true);
    expect(at('01:30:00'), '7:00 there').to.equal(false);
  });

  it('applies quiet hours that begin on the chosen days, over midnight too', () => {
    // 1 March 2026 is a Sunday.
    const at = (hours: { from: number; to: number }, days: number[], time: string) =>
      isWithin({ ...hours, days, timeZone: 'UTC' }, new Date(`2026-03-${time}Z`));
    expect(at(day, [7], '01T12:00')).to.equal(true);
    expect(at(day, [1], '01T12:00')).to.equal(false);
    expect(at(night, [7], '01T23:00')).to.equal(true);
    expect(at(night, [7], '02T06:59'), 'until Monday').to.equal(true);
    expect(at(night, [7], '02T23:00'), 'not from Monday on').to.equal(false);
    expect(at(night, [7], '01T06:59'), 'Saturday’s').to.equal(false);
    expect(at(night, [6], '01T06:59')).to.equal(true);
  });

  it('follows the start and end of daylight saving time', () => {
    const at = (from: number, to: number, time: string) =>
      isWithin({ from, to, timeZone: 'Europe/Berlin' }, new Date(`2026-${time}Z`));
    // On 29 March the clock goes from 2:00 to 3:00.
    const early = (time: string) => at(90, 240, `03-29T${time}`);
    expect([early('00:29:59'), early('00:30'), early('00:59:59')]).to.eql([false, true, true]);
    expect([early('01:00'), early('01:59:59'), early('02:00')]).to.eql([true, true, false]);
    // On 25 October the clock goes from 3:00 back to 2:00, so the half hour occurs twice.
    const late = (time: string) => at(150, 180, `10-25T${time}`);
    expect([late('00:29:59'), late('00:30'), late('01:00')]).to.eql([false, true, false]);
    expect([late('01:30'), late('01:59:59'), late('02:00')]).to.eql([true, true, false]);
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
    ['ສະບາຍ', 'ຄຳວ່າສະບາຍດີ', true],
    ['ភាសា', 'រៀនភាសាខ្មែរ', true],
    ['မြန်မာ', 'ဒီမြန်မာစာ', true],
    ['étude', 'une E\u0301tude', true],
    ['😀', 'a😀b', true],
  ] as const)
    it(`checks for a keyword: ${keyword} in “${body}”`, () => {
      const settings = new Map([['me', { targetId: 'me', version: 1, keywords: [keyword] }]]);
      expect(hasKeyword({ userId: 'me', settings }, body)).to.equal(found);
    });
});
