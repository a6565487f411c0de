/** Missed changes are combined from an earlier read and newer changes. The result equals a complete read. */
import { expect } from 'chai';
import { timelineRoom } from '../../shared/rooms.ts';
import { readTransaction } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { atLength } from '../support/length.ts';
import { countRowsRead } from '../support/rows-read.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';

describe(`missed changes, with LAW_SEED=${lawSeed}`, () => {
  let app: TestApp;
  let people: Person[];
  let timelineId: string;
  let said: { messageId: string; author: Person }[];
  before(async () => {
    app = await startApp();
    people = [await app.person('Ann'), await app.person('Ben')];
  });
  beforeEach(async () => {
    const [ann, ben] = people;
    const { server } = await ann!.send('server:create', { name: 'Missed' });
    timelineId = server.defaultChannelId;
    const { invite } = await ann!.send('invite:create', { serverId: server.id });
    await ben!.send('server:join', { code: invite.code });
    said = [];
  });
  after(() => app.close());

  const say = async (who: Person, more: { replyTo?: string } = {}) => {
    const body = `no. ${said.length}`;
    const { message } = await who.send('message:send', { timelineId, body, ...more });
    said.push({ messageId: message.id, author: who });
  };
  async function missedSince(since: number) {
    const room = timelineRoom(timelineId);
    const back = await people[1]!.newTab();
    const { rooms } = await back.send('sync', {
      epoch: back.ready.epoch,
      rooms: { [room]: since },
    });
    back.close();
    const read = await readTransaction(app.db, (db) => app.node.reader.read(db, room, { since }));
    return { answered: rooms[0], read: JSON.parse(JSON.stringify(read)) as unknown };
  }

  it('are equal to reading the whole timeline, after random operations', async () => {
    const random = lawRandom();
    for (let i = 0; i < 3; i += 1) await say(people[0]!);
    // All changes fit an answer. Near that limit, a read is a snapshot while cached changes still fit.
    for (let step = 0; step < atLength(60, 250); step += 1) {
      const who = random.pick(people);
      const { messageId, author } = random.pick(said);
      const act = random.pick([
        'say',
        'say',
        'reply',
        'edit',
        'delete',
        'react',
        'rename',
      ] as const);
      if (act === 'say') await say(who);
      if (act === 'reply') await say(who, { replyTo: messageId });
      if (act === 'edit')
        await author.send('message:edit', { messageId, body: `edited in ${step}` });
      if (act === 'react')
        await who.send('message:react', { messageId, emoji: '🎉', on: random.chance(0.5) });
      if (act === 'rename') await who.send('user:update', { displayName: `Named in ${step}` });
      if (act === 'delete' && said.length > 1) {
        await author.send('message:delete', { messageId });
        said = said.filter((one) => one.messageId !== messageId);
      }
      if (random.chance(0.5)) continue;
      const since = random.int(0, 5);
      const { answered, read } = await missedSince(since);
      expect(answered, `since ${since}, at step ${step}`).to.deep.equal(read);
    }
  });

  it('are not read again for a later client', async () => {
    for (let i = 0; i < 40; i += 1) await say(people[0]!);
    const rooms = { [timelineRoom(timelineId)]: 1 };
    const rowsToCatchUp = async (messages: number) => {
      const back = await people[1]!.newTab();
      return countRowsRead(app.db, async () => {
        const { rooms: entries } = await back.send('sync', { epoch: back.ready.epoch, rooms });
        expect(entries[0]).to.have.property('changes').that.has.length(messages);
      });
    };
    const first = await rowsToCatchUp(39);
    await say(people[0]!);
    expect(await rowsToCatchUp(40)).to.be.below(first / 2);
  });
});
