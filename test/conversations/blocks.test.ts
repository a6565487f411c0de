import { expect } from 'chai';
import { v7 } from 'uuid';
import { blockedPairs } from '../../server/blocks/access.ts';
import { query } from '../../server/database/database.ts';
import { areFriends } from '../../server/friends/access.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { befriend, crowd, pair } from '../support/relationships.ts';

describe('a block', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  const block = (one: Person, other: Person) => one.send('block:create', { userId: other.id });
  const codeOf = (error: unknown) => (error as { code: string }).code;
  const receivedBy = (person: Person) =>
    person
      .received('changes')
      .flatMap(({ changes }) => changes.map(({ type }) => type))
      .filter((type) => type !== 'server:joined');

  it('reaches the blocker, live and after reconnecting, and nobody else', async () => {
    const [ann, ben] = await pair(app);
    const { block: made } = await block(ann, ben);
    await ann.waitFor('changes', ({ changes, people }) => {
      return changes[0]?.type === 'block:created' && people[ben.id]?.name === 'Ben';
    });
    expect((await ann.send('block:list', {})).blocks).to.deep.equal([made]);
    const { ready } = await ann.newTab();
    expect(ready).to.have.nested.property('state.blocks').that.deep.equals([made]);
    expect(await block(ann, ben), 'once more changes nothing').to.deep.equal({ block: made });
    expect((await ben.send('block:list', {})).blocks).to.deep.equal([]);
    expect((await ben.newTab()).ready).to.have.nested.property('state.blocks.length', 0);
    expect(receivedBy(ben)).to.deep.equal([]);
  });

  it('ends a friendship on both sides', async () => {
    const [ann, ben] = await pair(app);
    await befriend(ann, ben);
    await block(ann, ben);
    for (const person of [ann, ben]) {
      await person.waitFor('changes', ({ changes }) => {
        return changes.some(({ type }) => type === 'friendship:deleted');
      });
      expect((await person.send('friendship:list', {})).friendships).to.deep.equal([]);
    }
    expect(await areFriends(app.db, ann.id, ben.id)).to.equal(false);
  });

  it('ends requests in both directions', async () => {
    for (const direction of ['of the blocker', 'of the blocked']) {
      const [ann, ben] = await pair(app);
      const [from, to] = direction === 'of the blocker' ? [ann, ben] : [ben, ann];
      await from.send('friendRequest:create', { userId: to.id });
      await block(ann, ben);
      for (const person of [ann, ben]) {
        const { friendRequests } = await person.send('friendRequest:list', {});
        expect(friendRequests, direction).to.deep.equal([]);
      }
      await ben.waitFor('changes', ({ changes }) => {
        return changes.some(({ type }) => type === 'friendRequest:deleted');
      });
    }
  });

  it('makes the blocker indistinguishable from a missing account', async () => {
    const [ann, ben] = await pair(app);
    await block(ann, ben);
    const pairs = [
      [{ userId: ann.id }, { userId: v7() }],
      [{ username: ann.user.username! }, { username: 'nobody.of.that.name' }],
    ];
    for (const [blocked, absent] of pairs) {
      const toBlocked = await ben.expectError('friendRequest:create', blocked!);
      const toAbsent = await ben.expectError('friendRequest:create', absent!);
      expect(toBlocked.code).to.equal('not_found');
      expect({ ...toBlocked, requestId: '' }).to.deep.equal({ ...toAbsent, requestId: '' });
    }
    const mine = await ann.expectError('friendRequest:create', { userId: ben.id });
    expect(mine).to.include({
      code: 'conflict',
      message: 'You’ve blocked this person. Unblock them first.',
    });
  });

  it('lets the blocked person block as well, and does not reveal itself to them', async () => {
    const [ann, ben] = await pair(app);
    await Promise.all([block(ann, ben), block(ben, ann)]);
    for (const person of [ann, ben])
      expect((await person.send('block:list', {})).blocks).to.have.lengthOf(1);
    await ben.send('block:delete', { userId: ann.id });
    expect((await ben.expectError('friendRequest:create', { userId: ann.id })).code).to.equal(
      'not_found',
    );
  });

  it('can be lifted only by the blocker, and then a friendship can begin', async () => {
    const [ann, ben] = await pair(app);
    await block(ann, ben);
    expect((await ben.expectError('block:delete', { userId: ann.id })).code).to.equal('not_found');
    await ann.send('block:delete', { userId: ben.id });
    await ann.waitFor('changes', ({ changes }) => {
      return changes.some((change) => change.type === 'block:deleted' && change.userId === ben.id);
    });
    expect((await ann.expectError('block:delete', { userId: ben.id })).code).to.equal('not_found');
    await befriend(ben, ann);
    expect((await ann.send('friendship:list', {})).friendships).to.have.lengthOf(1);
  });

  it('wins against a simultaneous request or answer', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [ann, ben] = await pair(app);
      await ann.send('friendRequest:create', { userId: ben.id });
      const answer = round % 2 === 0 ? 'friendship:create' : 'friendRequest:create';
      const [, answered] = await Promise.all([
        block(ann, ben),
        ben.send(answer, { userId: ann.id }).catch(codeOf),
      ]);
      if (typeof answered === 'string') expect(answered).to.equal('not_found');
      for (const person of [ann, ben]) {
        expect((await person.send('friendship:list', {})).friendships).to.deep.equal([]);
        expect((await person.send('friendRequest:list', {})).friendRequests).to.deep.equal([]);
        person.close();
      }
    }
  });

  it('stops the presence of a friend', async () => {
    const [ann, ben] = await pair(app);
    for (const person of [ann, ben])
      for (const { id } of (await person.send('server:list', {})).servers)
        await person.send('server:leave', { serverId: id });
    await befriend(ann, ben);
    await ben.waitFor('presence', ({ users }) => users[ann.id] === 'online');
    await block(ann, ben);
    expect((await ben.newTab()).ready)
      .to.have.property('presence')
      .that.deep.equals({});
    await ann.send('session:logout', {});
    const cem = await app.person();
    await befriend(ben, cem);
    app.pass(1_000);
    await ben.waitFor('presence', ({ users }) => users[cem.id] === 'online');
    await cem.send('session:logout', {});
    app.pass(1_000);
    await ben.waitFor('presence', ({ users }) => users[cem.id] === 'offline');
    expect(ben.received('presence').some(({ users }) => users[ann.id] === 'offline')).to.equal(
      false,
    );
  });

  it('requires an existing person other than oneself', async () => {
    const ann = await app.person();
    expect((await ann.expectError('block:create', { userId: ann.id })).code).to.equal('conflict');
    expect((await ann.expectError('block:create', { userId: v7() })).code).to.equal('not_found');
    const { server } = await ann.send('server:create', { name: 'Place' });
    expect((await ann.expectError('block:create', { userId: server.id })).code).to.equal(
      'not_found',
    );
    const guest = await app.guest();
    await guest.send('block:create', { userId: ann.id });
  });

  it('does not reveal a person by their id, except to those who have met them', async () => {
    const [ann, guest] = [await app.person('Ann'), await app.guest('Gus')];
    const { server } = await ann.send('server:create', { name: 'Place' });
    const [stranger] = await crowd(app, 1);
    const { db } = app;
    const asked = { userId: stranger! };
    for (const person of [ann, guest])
      expect((await person.expectError('block:create', asked)).code).to.equal('not_found');
    expect((await ann.expectError('friendRequest:create', asked)).code).to.equal('not_found');
    await query(
      db,
      'insert into members (server_id, user_id, role, version, user_version) values ($1, $2, $3, 1, 1)',
      [...[server.id, stranger], 'member'],
    );
    await ann.send('friendRequest:create', asked);
    await ann.send('block:create', asked);
    expect((await guest.expectError('block:create', asked)).code).to.equal('not_found');
  });

  it('can be made against a person who has left, but wrote in a shared server', async () => {
    const [ann, gus] = [await app.person('Ann'), await app.guest('Gus')];
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await gus.send('server:join', { code: invite.code });
    await gus.send('message:send', { timelineId: server.defaultChannelId, body: 'Pest' });
    await gus.send('server:leave', { serverId: server.id });
    await query(app.db, 'delete from members where user_id = $1', [gus.id]);
    await block(ann, gus);
  });

  it('is refused beyond 1,000 for each person', async () => {
    const [ann, ben] = await pair(app);
    const ids = Array.from({ length: 1_000 }, () => v7());
    const { db } = app;
    await query(db, `insert into rooms (id, kind) select unnest($1::uuid[]), 'user'`, [ids]);
    await query(
      db,
      `insert into users (id, kind, display_name) select unnest($1::uuid[]), 'guest', 'Extra'`,
      [ids],
    );
    await query(
      db,
      'insert into blocks (user_id, blocked_id, version) select $1, unnest($2::uuid[]), 0',
      [ann.id, ids],
    );
    expect((await ann.expectError('block:create', { userId: ben.id })).code).to.equal('conflict');
    await ann.send('block:delete', { userId: ids[0]! });
    await block(ann, ben);
  });

  it('is looked up for many pairs at once, in both directions', async () => {
    const [ann, ben] = await pair(app);
    const cem = await app.person();
    await block(ann, ben);
    const apart = await blockedPairs(app.db, [
      [ann.id, ben.id],
      [cem.id, ann.id],
    ]);
    expect([apart(ann.id, ben.id), apart(ben.id, ann.id)]).to.deep.equal([true, true]);
    expect(apart(cem.id, ann.id)).to.equal(false);
    const other = await blockedPairs(app.db, [[ben.id, ann.id]]);
    expect(other(ann.id, ben.id)).to.equal(true);
  });
});
