import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import { limits } from '../../shared/limits.ts';
import { mentionOf } from '../../shared/mentions.ts';
import type { Output } from '../../shared/protocol.ts';
import { timelineRoom, type Room } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addSilentMembers } from '../support/crowd.ts';
import { fillTimelines } from '../support/full.ts';
import type { Person } from '../support/person.ts';

const bytesOf = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));
const widest = '😀'.repeat(limits.body);

describe('an answer', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;

  const channel = async () =>
    (await ann.send('channel:create', { serverId, name: v7().slice(-12) })).channel.id;
  const full = async (body: string, many = 100) => {
    const timelineId = await channel();
    await fillTimelines(app, [timelineId], { authorId: ann.id, body, many });
    return timelineId;
  };
  const listed = async (input: { timelineId: string; limit?: number; [at: string]: unknown }) => {
    const page = await ann.send('message:list', { limit: 100, ...input });
    expect(bytesOf(page)).to.be.at.most(limits.answerBytes);
    expect(page.messages.length).to.be.above(0);
    return page;
  };
  const positions = ({ messages }: Output<'message:list'>) =>
    messages.map(({ position }) => position);
  const run = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i);

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    serverId = (await ann.send('server:create', { name: 'Full' })).server.id;
  });
  after(() => app.close());

  for (const [what, body] of [
    ['of four bytes a character', widest],
    ['of characters that JSON writes as six', '\u0001'.repeat(limits.body)],
    ['of nothing but backslashes', '\\'.repeat(limits.body)],
  ] as const)
    it(`brings a page of messages ${what} in parts, from either end`, async () => {
      const timelineId = await full(body);
      let held: number[] = [];
      for (let more = true; more;) {
        const page = await listed({ timelineId, ...(held[0] && { before: held[0] }) });
        expect(page.more.after).to.equal(held.length > 0);
        held = [...positions(page), ...held];
        more = page.more.before;
      }
      expect(held).to.deep.equal(run(1, 100));
      held = [];
      for (let more = true; more;) {
        const page = await listed({ timelineId, after: held.at(-1) ?? 0 });
        expect(page.more.before).to.equal(held.length > 0);
        held = [...held, ...positions(page)];
        more = page.more.after;
      }
      expect(held).to.deep.equal(run(1, 100));
    });

  it('brings as much before a message as after, and reports if there is more', async () => {
    const timelineId = await full(widest);
    const page = await listed({ timelineId, around: 50 });
    const found = positions(page);
    expect(found).to.deep.equal(run(found[0] ?? 0, found.at(-1) ?? 0));
    expect(50 - (found[0] ?? 0)).to.be.within((found.at(-1) ?? 0) - 50, (found.at(-1) ?? 0) - 49);
    expect(page.more).to.deep.equal({ before: true, after: true });
    const atEnd = await listed({ timelineId, around: 100 });
    expect(positions(atEnd).at(-1)).to.equal(100);
    expect(atEnd.more).to.deep.equal({ before: true, after: false });
  });

  it('counts the people that come with messages', async () => {
    await addSilentMembers(app, serverId, 2_000);
    const timelineId = await channel();
    let after: string | undefined;
    for (let said = 0; said < 20; said += 1) {
      const { members } = await ann.send('member:list', { serverId, after, limit: 100 });
      after = members.at(-1)?.userId;
      const body = members.map(({ userId }) => mentionOf(userId)).join('');
      await ann.send('message:send', { timelineId, body });
    }
    const { people, messages } = await listed({ timelineId });
    expect(messages.length).to.be.below(20);
    expect(Object.keys(people).length).to.be.above(100 * (messages.length - 1));
  });

  it('brings a message that is too big for the bounds, and those around it', async () => {
    const marks = Array.from({ length: 102 }, () => mentionOf(v7())).join('');
    const files = Array.from({ length: limits.filesPerMessage }, () => ({
      ...{ id: v7(), type: 'image/png', size: 1, width: 1, height: 1 },
      ...{ name: '😀'.repeat(limits.fileName), alt: '😀'.repeat(limits.fileAlt) },
    }));
    const timelineId = await full('Short.', 9);
    await query(
      app.db,
      'update messages set body = $2, files = $3 where timeline_id = $1 and position = 5',
      [timelineId, marks, JSON.stringify(files)],
    );
    const bodies = async (where: object) => {
      const answer = await ann.send('message:list', { timelineId, limit: 100, ...where });
      return answer.messages.map(({ position }) => position);
    };
    expect(await bodies({ before: 6 })).to.deep.equal([5]);
    expect(await bodies({ after: 4 })).to.deep.equal([5]);
    expect(await bodies({ before: 5 })).to.deep.equal([1, 2, 3, 4]);
    const missed = await ann.send('channel:join', { channelId: timelineId, since: 0 });
    expect(missed.status).to.equal('snapshot');
  });

  it('brings the whole page when that fits', async () => {
    const timelineId = await full('A usual message, some hundred characters long. '.repeat(2));
    expect((await listed({ timelineId })).messages).to.have.length(100);
    expect((await listed({ timelineId, around: 50, limit: 51 })).messages).to.have.length(51);
  });

  it('brings the newest messages of a timeline that fit, and changes only if all of them do', async () => {
    const timelineId = await full(widest);
    const snapshot = await ann.send('channel:join', { channelId: timelineId });
    if (snapshot.status !== 'snapshot') throw new Error(snapshot.status);
    expect(bytesOf(snapshot)).to.be.within(limits.answerBytes / 2, limits.answerBytes);
    expect(snapshot.state).to.have.property('messages').that.is.not.empty;
    expect((await ann.send('channel:join', { channelId: timelineId, since: 95 })).status).to.equal(
      'changes',
    );
    expect((await ann.send('channel:join', { channelId: timelineId, since: 50 })).status).to.equal(
      'snapshot',
    );
    const quiet = await full('Short.', 500);
    const changes = await ann.send('channel:join', { channelId: quiet, since: 0 });
    expect(changes.status).to.equal('changes');
    expect(bytesOf(changes)).to.be.at.most(limits.answerBytes);
  });

  it('brings as many of several timelines as fit, and the others on the next request', async () => {
    const timelineIds = await Promise.all(Array.from({ length: 30 }, channel));
    await fillTimelines(app, timelineIds, { authorId: ann.id, body: widest, many: 10 });
    let wanted = timelineIds.map(timelineRoom);
    const held = new Set<Room>();
    let answers = 0;
    while (wanted.length > 0) {
      const rooms = Object.fromEntries(wanted.map((room) => [room, 3])) as Record<Room, number>;
      const answer = await ann.send('sync', { epoch: 'another life', rooms });
      answers += 1;
      expect(bytesOf(answer)).to.be.at.most(limits.answerBytes);
      for (const { status, room } of answer.rooms) if (status === 'snapshot') held.add(room);
      const later = answer.rooms.filter(({ status }) => status === 'later').map(({ room }) => room);
      expect(later.length).to.be.below(wanted.length);
      wanted = later as typeof wanted;
    }
    expect([...held].sort()).to.deep.equal(timelineIds.map(timelineRoom).sort());
    expect(answers).to.be.within(15, 30);
  });
});
