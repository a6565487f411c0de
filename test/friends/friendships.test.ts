import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { post, type Person } from '../support/person.ts';
import {
  ask,
  befriend,
  crowd,
  listFriendships,
  receivedTypes,
  waitForChange,
  pair,
} from '../support/relationships.ts';

describe('friends: a friendship', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('begins by accepting the request of that person', async () => {
    const [ann, ben] = await pair(app);
    expect((await ben.expectError('friendship:create', { userId: ann.id })).code).to.equal(
      'not_found',
    );
    const friendship = await befriend(ann, ben);
    expect(friendship).to.deep.include({ userId: ann.id, nickname: null, favourite: false });
    expect(await ben.send('friendship:create', { userId: ann.id })).to.deep.equal({ friendship });
    const [seen] = await listFriendships(ann);
    expect(seen).to.include({ id: friendship.id, userId: ben.id });
    const { ready } = await ann.newTab();
    if (ready.status !== 'snapshot') throw new Error(ready.status);
    expect(ready.state.friendships).to.deep.equal([seen]);
    expect(ready.people[ben.id]?.name).to.equal('Ben');
  });

  it('has a nickname and a star on each side, hidden from the other side', async () => {
    const [ann, ben] = await pair(app);
    const { id: friendshipId } = await befriend(ann, ben);
    const { friendship } = await ann.send('friendship:update', {
      friendshipId,
      nickname: 'Benny',
      favourite: true,
    });
    expect(friendship).to.include({ nickname: 'Benny', favourite: true });
    const { changes } = await waitForChange(ann, 'friendship:updated');
    expect(changes).to.deep.equal([
      { type: 'friendship:updated', version: friendship.version, friendship },
    ]);
    const again = await ann.send('friendship:update', { friendshipId, favourite: true });
    expect(again.friendship, 'what is so already changes nothing').to.deep.equal(friendship);
    const cleared = await ann.send('friendship:update', { friendshipId, nickname: null });
    expect(cleared.friendship).to.include({ nickname: null, favourite: true });
    expect((await listFriendships(ben))[0]).to.include({ nickname: null, favourite: false });
    const cem = await app.person();
    for (const name of ['friendship:update', 'friendship:delete'] as const)
      expect((await cem.expectError(name, { friendshipId })).code).to.equal('not_found');
    await ann.send('friendship:delete', { friendshipId });
    await waitForChange(ben, 'friendship:deleted');
    expect(receivedTypes(ben)).not.to.include('friendship:updated');
  });

  it('ends on both sides, by either', async () => {
    const [ann, ben] = await pair(app);
    const { id: friendshipId } = await befriend(ann, ben);
    await ben.send('friendship:delete', { friendshipId });
    for (const person of [ann, ben]) {
      await waitForChange(person, 'friendship:deleted');
      expect(await listFriendships(person)).to.deep.equal([]);
      const failure = await person.expectError('friendship:delete', { friendshipId });
      expect(failure.code).to.equal('not_found');
    }
    await befriend(ben, ann);
    expect(await listFriendships(ann)).to.have.lengthOf(1);
  });

  it('is refused beyond 1,000 for each person', async () => {
    const [ann, ben] = await pair(app);
    await query(
      app.db,
      `insert into friendships (id, user_id, friend_id, version)
       select gen_random_uuid(), $1, unnest($2::uuid[]), 0`,
      [ann.id, await crowd(app, 1_000)],
    );
    await ask(ann, ben);
    const failure = await ben.expectError('friendship:create', { userId: ann.id });
    expect(failure.code).to.equal('conflict');
    expect(failure.message).to.include('They already have the maximum number of friends');
    const friendshipId = (await listFriendships(ann))[0]!.id;
    await ann.send('friendship:delete', { friendshipId });
    await ben.send('friendship:create', { userId: ann.id });
  });

  it('sends each person the other’s new name', async () => {
    const [ann, ben] = await pair(app);
    await befriend(ann, ben);
    for (const person of [ann, ben])
      for (const { id } of (await person.send('server:list', {})).servers)
        await person.send('server:leave', { serverId: id });
    await ben.send('user:update', { displayName: 'Benjamin' });
    await ann.waitFor('people', ({ people }) => people[ben.id]?.name === 'Benjamin');
  });

  it('works over HTTP as well', async () => {
    const [ann, ben] = await pair(app);
    const call = async (person: Person, method: string, path: string, body?: object) => {
      const headers = {
        cookie: person.cookie,
        origin: app.url,
        'content-type': 'application/json',
      };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const reply = await fetch(`${app.url}/api/${path}`, { method, headers, ...sent });
      const text = await reply.text();
      return { status: reply.status, body: text === '' ? {} : (JSON.parse(text) as object) };
    };
    const asked = await post(
      app.url,
      '/api/friend-requests',
      { username: ben.user.username, note: 'By HTTP' },
      { cookie: ann.cookie },
    );
    expect(asked.status).to.equal(201);
    const { friendRequest } = (await asked.json()) as { friendRequest: { id: string } };
    const path = `friend-requests/${friendRequest.id}`;
    const list = await call(ben, 'GET', 'friend-requests');
    expect(list.body).to.have.nested.property('friendRequests[0].note', 'By HTTP');
    const own = await call(ann, 'PATCH', path, { status: 'accepted' });
    expect(own.status).to.equal(403);
    expect((await call(ben, 'PATCH', path, { status: 'accepted' })).status).to.equal(200);
    const friends = await call(ann, 'GET', 'friendships');
    expect(friends.body).to.have.nested.property('friendships[0].userId', ben.id);
    const friendship = `friendships/${friendRequest.id}`;
    expect((await call(ann, 'PATCH', friendship, { favourite: true })).status).to.equal(200);
    expect((await call(ann, 'DELETE', friendship)).status).to.equal(204);
    expect((await call(ann, 'DELETE', friendship)).status).to.equal(404);
    expect((await call(ann, 'POST', 'friendships', { userId: ben.id })).status).to.equal(404);
  });
});
