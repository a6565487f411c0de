import { expect } from 'chai';
import fc from 'fast-check';
import type { Badge, Badges } from '../../shared/reads.ts';
import {
  receiveNews,
  mentionCount,
  replace,
  unreadIn,
  type BadgeMap,
  type BadgeUpdate,
} from '../../client/reads/badges.ts';
import { atLength } from '../support/length.ts';

const id = 'general';
const known = (badge?: Badge): BadgeMap => new Map(badge ? [[id, badge]] : []);
const after = (held: BadgeMap, ...all: BadgeUpdate[]) => {
  for (const news of all) receiveNews(held, news);
  return held.get(id);
};

/** The position up to which nothing is unread, without marks. */
function nothingLeftTo({ read, deleted = [] }: Badge): number {
  let at = read;
  while (deleted.includes(at + 1)) at += 1;
  return at;
}

describe('the unread state of a timeline', () => {
  it('grows with new messages and shrinks with reads, each by the maximum', () => {
    const held = known({ last: 5, read: 3, mentions: [] });
    expect(after(held, { id, came: 7 }, { id, came: 6 })).to.include({ last: 7, read: 3 });
    expect(after(held, { id, read: 6 }, { id, read: 4 })).to.include({ last: 7, read: 6 });
    expect(unreadIn(held.get(id))).to.equal(1);
  });

  it('is empty for an unknown timeline until a message arrives', () => {
    expect(unreadIn(undefined)).to.equal(0);
    expect(unreadIn(after(known(), { id, newest: 40 }))).to.equal(0);
    expect(unreadIn(after(known(), { id, came: 41 }))).to.equal(1);
    expect(unreadIn(after(known(), { id, came: 41, since: 37, serverId: 'here' }))).to.equal(4);
    expect(unreadIn(after(known(), { id, read: 41 }))).to.equal(0);
  });

  it('includes messages sent before entering and reported afterwards, except read ones', () => {
    const entered: BadgeUpdate = { id, newest: 40 };
    const late: BadgeUpdate = { id, came: 40, since: 37, mentions: { 39: true } };
    const held = known();
    expect(after(known(), { id, newest: 0 })).to.not.have.property('certain');
    expect(after(known(), entered)).to.have.property('certain', 0);
    expect(unreadIn(after(held, entered, late))).to.equal(3);
    expect(mentionCount(held.get(id))).to.equal(1);
    expect(unreadIn(after(known(), entered, { id, read: 38 }, late))).to.equal(2);
    expect(unreadIn(after(known(), entered, { id, read: 40 }, late))).to.equal(0);
    expect(unreadIn(after(known(), entered, { id, came: 41, since: 40 }))).to.equal(1);
  });

  it('is replaced by the full badges; a timeline absent from them is read', () => {
    const held = known({ last: 9, read: 2, mentions: [] });
    replace(held, { other: { last: 4, read: 1, mentions: [] } }, new Map(held), []);
    expect(unreadIn(held.get(id))).to.equal(0);
    expect(unreadIn(held.get('other'))).to.equal(3);
  });

  it('starts at the newest mark, regardless of the read position', () => {
    const held = known({ last: 9, read: 9, mentions: [] });
    const mark = (position: number | null, version: number): BadgeUpdate => {
      return { id, mark: { position, version, last: 9 } };
    };
    expect(unreadIn(after(held, mark(4, 2), mark(null, 1)))).to.equal(6);
    expect(unreadIn(after(held, { id, read: 9 }, { id, came: 10 }))).to.equal(7);
    expect(unreadIn(after(held, mark(null, 3)))).to.equal(1);
    expect(unreadIn(after(known(), mark(8, 1)))).to.equal(2);
    expect(unreadIn(after(known(), mark(null, 0), { id, came: 9, since: 4 }))).to.equal(5);
    replace(held, {}, new Map([[id, { last: 9, read: 2, mentions: [] }]]), [mark(9, 4)]);
    expect(unreadIn(held.get(id))).to.equal(1);
  });

  it('counts a mention until it is read or edited away', () => {
    const held = known({ last: 5, read: 3, mentions: [4] });
    const came = { id, came: 7, mentions: { 3: true, 4: true, 7: true } };
    expect(mentionCount(after(held, came, came))).to.equal(2);
    expect(mentionCount(after(held, { id, came: 7, mentions: { 4: false } }))).to.equal(1);
    expect(mentionCount(after(held, { id, read: 6 }))).to.equal(1);
    expect(mentionCount(after(held, { id, read: 7 }))).to.equal(0);
    replace(held, {}, new Map([[id, { last: 7, read: 3, mentions: [7] }]]), []);
    expect(mentionCount(held.get(id))).to.equal(0);
  });

  it('stays without a removed mark, though an older update of it follows the full badges', () => {
    const held = known({ last: 1, read: 1, mentions: [] });
    receiveNews(held, { id, mark: { position: null, version: 2, last: 1 } });
    const late: BadgeUpdate = { id, mark: { position: 1, version: 1, last: 1 } };
    replace(held, { [id]: { last: 2, read: 1, mentions: [2] } }, new Map(held), [late]);
    expect(unreadIn(held.get(id))).to.equal(1);
  });

  it('excludes deleted messages, regardless of the order of updates', () => {
    const held = known({ last: 5, read: 3, mentions: [] });
    expect(unreadIn(after(held, { id, deleted: [2, 4] }))).to.equal(1);
    expect(unreadIn(after(held, { id, came: 7, since: 5, deleted: [4, 5, 7] }))).to.equal(1);
    expect(unreadIn(after(held, { id, deleted: [6] }))).to.equal(0);
    expect(unreadIn(after(held, { id, came: 8, since: 7 }))).to.equal(1);
    const mark = { position: 2, version: 1, last: 8, deleted: [2, 4, 5, 6, 7] };
    expect(unreadIn(after(held, { id, mark }))).to.equal(2);
    expect(after(known(), { id, deleted: [4] })).to.equal(undefined);
  });

  it('continues after the full badges with later updates', () => {
    const held = known({ last: 9, read: 2, mentions: [] });
    replace(held, {}, new Map(held), [{ id, came: 12 }]);
    expect(held.get(id)).to.include({ last: 12, read: 9 });
  });

  const step = fc.constantFrom(
    ...['said', 'read', 'mark', 'delete', 'arrives', 'enter', 'ask', 'answer made', 'answer'],
  );
  const steps = fc.array(fc.tuple(step, fc.nat()), { maxLength: 60, size: 'max' });

  /**
   * Sends messages, and reads them on another device. News of both arrives late and in any order, between requests for
   * full badges. Returns the badges of server and client once everything has arrived.
   */
  function play(start: Badge, all: [string, number][], loses: boolean) {
    const server: Badge = { ...start };
    let marks = 0;
    const held = known(start.last > start.read ? start : undefined);
    if (held.size === 0) receiveNews(held, { id, newest: start.last });
    const whole = (): Badges => (unreadIn(server) > 0 ? { [id]: { ...server } } : {});
    const underWay: BadgeUpdate[] = [];
    let asked: { asOf: BadgeMap; since: BadgeUpdate[]; answer?: Badges } | undefined;
    const arrive = (news: BadgeUpdate) => {
      asked?.since.push(news);
      receiveNews(held, news);
    };
    const answer = () => {
      if (asked?.answer) replace(held, asked.answer, asked.asOf, asked.since);
      asked = undefined;
    };
    for (const [what, which] of all) {
      if (what === 'said') {
        server.last += 1;
        const isMentioned = which % 2 === 0;
        if (isMentioned) server.mentions = [...server.mentions, server.last];
        const mentions = isMentioned ? { mentions: { [server.last]: true } } : {};
        underWay.push({ id, came: server.last, since: server.last - 1, ...mentions });
      } else if (what === 'read') {
        server.read = Math.max(server.read, server.last - (which % 3));
        server.mentions = server.mentions.filter((position) => position > server.read);
        underWay.push({ id, read: server.read });
      } else if (what === 'mark') {
        marks += 1;
        const mark = { position: which % 4 ? Math.min(which, server.last) : null, version: marks };
        if (mark.position === null) delete server.mark;
        else server.mark = mark;
        const deleted = [...(server.deleted ?? [])];
        underWay.push({ id, mark: { ...mark, last: server.last, deleted } });
      } else if (what === 'delete') {
        const position = 1 + (which % server.last);
        server.deleted = [...new Set([...(server.deleted ?? []), position])];
        server.mentions = server.mentions.filter((at) => at !== position);
        // A client that has joined the timeline receives only the deletion.
        const since = server.last;
        underWay.push(
          which % 2 === 0
            ? { id, deleted: [position] }
            : { id, came: since, since, deleted: [position] },
        );
      } else if (what === 'arrives') {
        const [news] = underWay.splice(underWay.length && which % underWay.length, 1);
        if (news && !(loses && which % 4 === 0)) arrive(news);
      } else if (what === 'enter') {
        arrive({ id, newest: server.last });
      } else if (what === 'ask') {
        asked ??= { asOf: new Map(held), since: [] };
      } else if (what === 'answer made') {
        if (asked) asked.answer ??= whole();
      } else if (asked?.answer) answer();
      const now = held.get(id);
      expect(now?.last ?? 0).to.be.at.most(server.last);
      expect(now?.certain ?? now?.read ?? 0).to.be.at.most(nothingLeftTo(server));
    }
    for (const news of underWay) arrive(news);
    answer();
    if (loses) replace(held, whole(), new Map(held), []);
    return { server, held };
  }

  const start = fc
    .tuple(fc.integer({ min: 1, max: 20 }), fc.nat(20))
    .map(([last, unread]) => ({ last, read: Math.max(0, last - unread), mentions: [] }));

  for (const loses of [false, true])
    it(`matches the server, ${loses ? 'after lost updates and one more full set' : 'with full sets requested meanwhile'}`, () => {
      fc.assert(
        fc.property(start, steps, (from, all) => {
          const { server, held } = play(from, all, loses);
          expect(unreadIn(held.get(id))).to.equal(unreadIn(server));
          expect(new Set(held.get(id)?.mentions)).to.deep.equal(new Set(server.mentions));
        }),
        { numRuns: atLength(300, 3_000) },
      );
    });
});
