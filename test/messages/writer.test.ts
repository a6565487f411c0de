import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { query, transaction, type Db } from '../../server/database/database.ts';
import type { Message } from '../../shared/messages.ts';
import { openWriter } from '../../server/messages/writer.ts';
import type { Write } from '../../server/messages/write.ts';
import { connect } from '../../server/database/connect.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { countStatements, countWrites, unpreparedStatements } from '../support/statements.ts';

/**
 * Packets to PostgreSQL for a single message. They are sequential, and each waits for a processor. A new connection
 * starts with more, and remaining work of the previous message can overlap, so the best of several counts is used.
 */
const packets = { channel: 3, conversation: 4 };

describe('the writer', () => {
  it('sends independent statements together, in a few packets', async () => {
    const app = await startApp();
    const ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Ours' });
    const ben = await app.person('Ben');
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    app.hold();
    const timelines = { channel: server.defaultChannelId, conversation: conversation.id };
    for (const kind of ['channel', 'conversation'] as const) {
      const timelineId = timelines[kind];
      const say = () => ann.send('message:send', { timelineId, body: 'x' });
      let fewest = Infinity;
      for (let times = 0; times < 20 && fewest > packets[kind]; times += 1)
        fewest = Math.min(fewest, await countWrites(say));
      expect(fewest, kind).to.be.at.most(packets[kind]);
    }
    await app.close();
  });

  it('prepares all statements of a reply, an edit and a deletion, except begin and commit', async () => {
    const app = await startApp();
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { channelId } = await openPlace(ann, ben);
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    app.hold();
    for (const timelineId of [channelId, conversation.id]) {
      const { message } = await ann.send('message:send', { timelineId, body: 'x' });
      const unprepared = await unpreparedStatements(async () => {
        const body = `to <@${ben.id}>`;
        await ann.send('message:send', { timelineId, body, replyTo: message.id });
        await ann.send('message:edit', { messageId: message.id, body: 'y' });
        await ann.send('message:delete', { messageId: message.id });
      });
      expect(new Set(unprepared)).to.deep.equal(new Set(['begin', 'commit']));
    }
    await app.close();
  });

  it('batches the statements for many deletions and calls', async () => {
    const app = await startApp({ PARLEY_LOBBY: 'off' });
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { serverId, channelId: timelineId } = await openPlace(ann, ben);
    app.hold();
    const many = 25;
    const each = <T>(act: (i: number) => Promise<T>) =>
      Promise.all(Array.from({ length: many }, (_, i) => act(i)));
    const said = await each((i) => ben.send('message:send', { timelineId, body: `${i}` }));
    const ofAudit = await countStatements(() =>
      each((i) => ann.send('message:delete', { messageId: said[i]!.message.id })),
    );
    expect(ofAudit.filter((sql) => /\baudit\b/.test(sql)).length).to.be.within(2, many);
    const { entries } = await ann.send('audit:list', { serverId });
    const deleted = entries.filter(({ action }) => action === 'message:deleted');
    const idsOf = (all: { id: string }[]) => all.map(({ id }) => id).sort();
    expect(deleted.map(({ subjectId }) => subjectId).sort()).to.deep.equal(
      idsOf(said.map(({ message }) => message)),
    );
    const ofBlocks = await countStatements(() =>
      each(() => ann.send('message:send', { timelineId, body: '@everyone' })),
    );
    expect(ofBlocks.filter((sql) => sql.includes('union select blocked_id')).length).to.be.within(
      1,
      many / 2,
    );
    await app.close();
  });

  describe('while another transaction holds a timeline', () => {
    let app: TestApp;
    let ann: Person;
    let held: { serverId: string; channelId: string };
    let others: string[];

    before(async () => {
      app = await startApp({ PARLEY_LOBBY: 'off' });
      ann = await app.person('Ann');
      const { server } = await ann.send('server:create', { name: 'Held' });
      held = { serverId: server.id, channelId: server.defaultChannelId };
      const { server: other } = await ann.send('server:create', { name: 'Other' });
      // Enough channels that each lane has some, for any ids.
      others = [other.defaultChannelId];
      for (let i = 0; i < 11; i += 1) {
        const more = { serverId: other.id, name: `c${i}` };
        others.push((await ann.send('channel:create', more)).channel.id);
      }
    });
    after(() => app.close());

    const say = async (timelineId: string, body = 'x', id = v7()) =>
      (await ann.send('message:send', { timelineId, body, id })).message;

    async function holding<T>(sql: string, id: string, work: () => Promise<T>): Promise<T> {
      const sequelize = connect(app.where, 1);
      try {
        return await transaction({ sequelize }, async (db: Db) => {
          await query(db, 'set local idle_in_transaction_session_timeout = 0');
          await query(db, sql, [id]);
          return work();
        });
      } finally {
        await sequelize.close();
      }
    }

    const locks: Record<'who may write there' | 'its row', () => [sql: string, id: string]> = {
      'who may write there': () =>
        ['select pg_advisory_xact_lock(hashtextextended($1::text, 0))', held.serverId] as const,
      'its row': () => ['select 1 from rooms where id = $1::uuid for update', held.channelId],
    };
    for (const [what, lock] of Object.entries(locks)) {
      it(`writes to all other timelines while ${what} is locked`, async () => {
        let isWritten = false;
        const waiting = await holding(...lock(), async () => {
          const ids = [v7(), v7(), v7()];
          const all = ids.map((id) => say(held.channelId, `held ${id}`, id));
          void Promise.race(all).then(() => (isWritten = true));
          for (let round = 0; round < 3; round += 1)
            await Promise.all(others.map((timelineId) => say(timelineId)));
          // A retry of the same message while the first waits: one message, and one answer.
          const again = say(held.channelId, `held ${ids[0]}`, ids[0]);
          const later = say(held.channelId, 'after these');
          await Promise.all(others.map((timelineId) => say(timelineId)));
          // Long enough for it to be written, if it could be.
          await sleep(100);
          expect(isWritten).to.equal(false);
          return [...all, again, later];
        });
        const [first, second, third, again, last] = await Promise.all(waiting);
        expect(again).to.deep.equal(first);
        expect([second, third, last].map((message) => message!.position)).to.deep.equal(
          [1, 2, 3].map((n) => first!.position + n),
        );
        expect((await say(held.channelId)).position).to.equal(last!.position + 1);
      });
    }

    it('tries to lock a held timeline without waiting, and then waits in line for it', async () => {
      const { said, asked } = await holding(...locks['its row'](), async () => {
        let said: ReturnType<typeof say> | undefined;
        const asked = await countStatements(() => {
          said = say(held.channelId);
          // Long enough for the writer to retry, if it did.
          return sleep(300);
        });
        return { said, asked };
      });
      await said;
      const locking = asked.filter(
        (sql) => sql.includes('last_position') && sql.includes('for no key update'),
      );
      expect(locking.map((sql) => sql.includes('skip locked'))).to.deep.equal([true, false]);
    });

    it('reports a timeline as busy when it is held for too long', async () => {
      const failure = await holding(...locks['its row'](), () =>
        ann.expectError('message:send', { timelineId: held.channelId, body: 'too long' }),
      );
      expect(failure).to.include({ code: 'busy', retryable: true });
      await say(held.channelId);
    });
  });

  it('looks at each waiting write a few times only, regardless of their number', async () => {
    let looks = 0;
    const writer = openWriter(async (batch) => batch.map(({ id }) => ({ id }) as Message));
    const many = 3_000;
    const asked = Array.from({ length: many }, (_, i) => {
      const write = writeOf(timelines[0]!, `${i}`);
      return writer.write(
        Object.defineProperty(write, 'id', { get: () => ((looks += 1), `${i}`) }),
      );
    });
    expect((await Promise.all(asked)).map(({ id }) => id)).to.deep.equal(
      Array.from({ length: many }, (_, i) => `${i}`),
    );
    expect(looks).to.be.below(30 * many);
  });

  it('keeps the order of each timeline, regardless of which ones are held', async () => {
    const someWrites = fc.array(fc.record({ place: fc.nat(4), pause: fc.boolean() }), {
      minLength: 1,
      maxLength: 60,
    });
    const someHolds = fc.array(fc.array(fc.nat(4), { maxLength: 5 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(someWrites, someHolds, async (writes, holds) => {
        const done: Write[] = [];
        const turns = holds.values();
        const writer = openWriter(async (batch) => {
          const isHeld = new Set(turns.next().value?.map((place) => timelines[place]));
          await sleep(0);
          expect(new Set(batch.map(({ id }) => id)).size).to.equal(batch.length);
          return batch.map((write) => {
            if (isHeld.has(write.timelineId)) return 'held';
            done.push(write);
            return { id: write.id } as Message;
          });
        });
        const asked: Promise<Message>[] = [];
        const ids: string[] = [];
        for (const [i, { place, pause }] of writes.entries()) {
          ids.push(`${i}`);
          asked.push(writer.write(writeOf(timelines[place]!, `${i}`)));
          if (pause) await sleep(0);
        }
        expect((await Promise.all(asked)).map(({ id }) => id)).to.deep.equal(ids);
        for (const timelineId of timelines) {
          const order = done
            .filter((write) => write.timelineId === timelineId)
            .map(({ id }) => +id);
          expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
        }
        expect(done).to.have.length(writes.length);
        expect(writer.depth()).to.equal(0);
      }),
      { numRuns: 60 },
    );
  });
});

const timelines = Array.from({ length: 5 }, () => v7());

const writeOf = (timelineId: string, id: string): Write => ({
  do: 'send',
  body: id,
  id,
  timelineId,
  user: { id: 'somebody', name: 'Somebody', kind: 'registered', rev: 1, username: 'somebody' },
});
