import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import { insertAt, numbered } from '../../server/channels/numbering.ts';
import { query } from '../../server/database/database.ts';
import { bringUpToDate } from '../../server/open-node.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { Mirror } from '../support/mirror.ts';
import { furnishSecrets } from '../privates/secret.ts';

describe('the numbers of channels', () => {
  /** Capital letters are public channels, small ones private. */
  const listed = (names: string) =>
    [...names].map((id) => ({ id, position: 0, private: id !== id.toUpperCase() }));
  const numbers = (order: { position: number }[]) => order.map(({ position }) => position);

  it('are 1, 2, 3 … for public channels; those of private channels are between them', () => {
    expect(numbers(numbered(listed('aBcEf')))).to.deep.equal([0.5, 1, 1.5, 2, 2.5]);
    expect(numbers(numbered(listed('abc')))).to.deep.equal([0.25, 0.5, 0.75]);
    expect(numbered([])).to.deep.equal([]);
  });

  it('stay for private ones when another is added beside them, as long as there is room', () => {
    let order = numbered(listed('ABc'));
    const before = order.map(({ position }) => position);
    order = insertAt(order, { id: 'd', position: 0, private: true }, 2);
    expect(numbers(order)).to.deep.equal([1, 2, 2.25, 2.5]);
    expect(numbers(order.filter(({ id }) => id !== 'd'))).to.deep.equal(before);
  });

  it('keep any order after any insertions', () => {
    const put = fc.tuple(fc.boolean(), fc.nat(), fc.boolean());
    fc.assert(
      fc.property(fc.array(put, { maxLength: 300 }), (puts) => {
        let order = numbered(listed('A'));
        puts.forEach(([isPrivate, where, isAgain], i) => {
          const at = where % (order.length + 1);
          const id = `${i}`;
          const others = isAgain && order.length > 1 ? numbered(order.slice(1)) : order;
          const place = Math.min(at, others.length);
          const expected = others.map((one) => one.id);
          expected.splice(place, 0, id);
          order = insertAt(others, { id, position: 0, private: isPrivate }, place);
          expect(order.map((one) => one.id)).to.deep.equal(expected);
          expect(numbers(order)).to.deep.equal(numbers(order).toSorted((a, b) => a - b));
          expect(new Set(numbers(order)).size).to.equal(order.length);
          const publics = order.filter((one) => !one.private);
          expect(numbers(publics)).to.deep.equal(publics.map((_, nth) => nth + 1));
        });
      }),
    );
  });

  describe('from before the migration', () => {
    let app: TestApp;
    before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
    after(() => app.close());

    it('lose their gaps, keep their order, and reach every client that held them', async () => {
      const { ann, ben, cem, serverId, conceal } = await furnishSecrets(app);
      const { category } = await ann.send('category:create', { serverId, name: 'Rooms' });
      const ids = new Map<string, string>();
      for (const name of ['one', 'two', 'three', 'four'])
        for (const categoryId of [null, category.id])
          ids.set(
            `${name} ${categoryId === null ? 'above' : 'under'}`,
            (await ann.send('channel:create', { serverId, name, categoryId })).channel.id,
          );
      const [first, second] = [await conceal([ben.id]), await conceal([ben.id])];
      const { db } = app;
      const place = (id: string, position: number) =>
        query(db, 'update channels set position = $2 where id = $1', [id, position]);
      await place(ids.get('one above')!, 7);
      await place(first.id, 3);
      await place(second.id, 3.5);
      await place(ids.get('four under')!, 0.5);
      await place(ids.get('three under')!, -3);
      const mirrors = [ann, ben, cem].map((person) => new Mirror(person));
      for (const mirror of mirrors) await mirror.open(serverRoom(serverId));
      const order = () =>
        query<{ id: string; position: number; categoryId: string | null }>(
          db,
          `select id, position, category_id as "categoryId" from channels
           where server_id = $1 order by category_id nulls first, position, id`,
          [serverId],
        );
      const before = await order();
      await query(db, `delete from migrations where name = '0037-numbers'`);
      await bringUpToDate(app.where, pino({ level: 'silent' }));

      const after = await order();
      expect(after.map(({ id }) => id)).to.deep.equal(before.map(({ id }) => id));
      const privates = new Set([first.id, second.id]);
      const seen = after.filter(({ id }) => !privates.has(id));
      for (const categoryId of [null, category.id]) {
        const there = seen.filter((one) => one.categoryId === categoryId);
        expect(numbers(there)).to.deep.equal(there.map((_, i) => i + 1));
      }
      expect(
        after.filter(({ id }) => privates.has(id)).map(({ position }) => position),
      ).to.deep.equal([2 + 1 / 3, 2 + 2 / 3]);
      for (const mirror of mirrors) {
        await mirror.sync();
        await mirror.becomesTrue();
      }
      await query(db, `delete from migrations where name = '0037-numbers'`);
      await bringUpToDate(app.where, pino({ level: 'silent' }));
      expect(await order()).to.deep.equal(after);
    });
  });
});
