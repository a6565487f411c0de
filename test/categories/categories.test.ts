import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Category } from '../../shared/categories.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { furnishCategories, sql } from './furnished.ts';

describe('categories', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  it('are added below the others, and all members receive the change', async () => {
    const { ben, serverId, make, state } = await furnishCategories(app);
    await ben.send('server:open', { serverId });
    const rooms = await make('Rooms');
    const work = await make('Work');
    expect(rooms).to.include({ serverId, name: 'Rooms', position: 1 });
    expect(work).to.include({ position: 2 });
    const { changes } = await ben.waitFor(
      'changes',
      ({ room, to }) => room === serverRoom(serverId) && to === work.version,
    );
    expect(changes.at(-1)).to.deep.equal({
      type: 'category:created',
      version: work.version,
      category: work,
    });
    expect((await state(ben)).categories).to.deep.equal([rooms, work]);
    const { categories } = await ben.send('category:list', { serverId });
    expect(categories).to.deep.equal([rooms, work]);
  });

  it('are created once when requested twenty times at once under one id', async () => {
    const { make, state } = await furnishCategories(app);
    const id = v7();
    const acks = await Promise.all(Array.from({ length: 20 }, () => make('Once', id)));
    expect(new Set(acks.map((category) => JSON.stringify(category))).size).to.equal(1);
    expect((await state()).categories).to.have.length(1);
  });

  it('refuse an id that is in use, here or in another server', async () => {
    const { ann, serverId, make } = await furnishCategories(app);
    const { server: other } = await ann.send('server:create', { name: 'Other' });
    const stored = await make('Stored', v7());
    for (const input of [
      { serverId, name: 'Another', id: stored.id },
      { serverId: other.id, name: 'Stored', id: stored.id },
    ])
      expect((await ann.expectError('category:create', input)).code).to.equal('conflict');
    expect(await make('Stored', stored.id)).to.deep.equal(stored);
  });

  it('have names of 1 to 64 characters, when made, when renamed, and for raw SQL', async () => {
    const { ann, serverId, make } = await furnishCategories(app);
    const { id } = await make('🦔'.repeat(limits.categoryName));
    for (const name of ['x'.repeat(limits.categoryName + 1), '', ' ', 'a\u202eb']) {
      const wrong = { code: 'invalid', field: 'name' };
      expect(await ann.expectError('category:create', { serverId, name })).to.include(wrong);
      expect(await ann.expectError('category:update', { categoryId: id, name })).to.include(wrong);
    }
    for (const name of ['x'.repeat(65), ''])
      expect(
        await sql(app, 'update categories set name = $1 where id = $2', name, id).catch(String),
      ).to.match(/check/);
  });

  it('are limited in number, however many ask at once', async () => {
    const { ann, serverId, make } = await furnishCategories(app);
    await sql(
      app,
      `insert into categories (id, server_id, name, position, version)
       select gen_random_uuid(), $1, 'many', n, 1 from generate_series(1, $2) n`,
      serverId,
      quotas.categoriesPerServer - 1,
    );
    const last = await Promise.allSettled(Array.from({ length: 5 }, (_, i) => make(`last ${i}`)));
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect((await ann.expectError('category:create', { serverId, name: 'more' })).code).to.equal(
      'conflict',
    );
  });

  it('are renamed and moved; setting the current values changes nothing', async () => {
    const { ann, ben, make, categoryNames } = await furnishCategories(app);
    const [a, b, c] = [await make('a'), await make('b'), await make('c')] as [
      Category,
      Category,
      Category,
    ];
    const first = { categoryId: c.id, position: a.position };
    const { category } = await ann.send('category:update', { ...first, name: 'C' });
    expect(await categoryNames()).to.equal('C a b');
    expect(await ann.send('category:update', { ...first, name: 'C' })).to.deep.equal({ category });
    expect(await ann.send('category:update', { categoryId: c.id })).to.deep.equal({ category });
    await ann.send('category:update', { categoryId: c.id, position: b.position + 1 });
    expect(await categoryNames()).to.equal('a b C');
    expect((await ben.expectError('category:update', first)).code).to.equal('forbidden');
    expect(await categoryNames()).to.equal('a b C');
  });
});
