import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { enterAs } from '../support/person.ts';
import {
  ask,
  crowd,
  listFriendships,
  waitForChange,
  pair,
  requestsOf,
} from '../support/relationships.ts';

describe('friends: a request', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('reaches both with its note, live and after reconnecting', async () => {
    const [ann, ben] = await pair(app);
    const request = await ask(ann, ben, { note: 'We met at the fair' });
    expect(request).to.deep.include({
      senderId: ann.id,
      recipientId: ben.id,
      note: 'We met at the fair',
    });
    const { changes, people } = await waitForChange(ben, 'friendRequest:created');
    expect(changes[0]).to.deep.include({ type: 'friendRequest:created' });
    expect(people[ann.id]?.name).to.equal('Ann');
    await waitForChange(ann, 'friendRequest:created');
    for (const person of [ann, ben]) {
      const { ready } = await person.newTab();
      if (ready.status !== 'snapshot') throw new Error(ready.status);
      expect(ready.state.friendRequests.map(({ id }) => id)).to.deep.equal([request.id]);
      expect(Object.keys(ready.people)).to.include.members([ann.id, ben.id]);
      expect((await requestsOf(person)).map(({ id }) => id)).to.deep.equal([request.id]);
    }
  });

  it('finds its recipient by username, in any spelling', async () => {
    const [ann, ben] = await pair(app);
    const username = ben.user.username!.toUpperCase();
    await ann.send('friendRequest:create', { username });
    expect((await requestsOf(ben))[0]).to.include({ senderId: ann.id });
    for (const nobody of [{ username: 'nobody.at.all' }, { userId: v7() }])
      expect((await ann.expectError('friendRequest:create', nobody)).code).to.equal('not_found');
    // The id of a server is not the id of a person.
    const { server } = await ann.send('server:create', { name: 'Place' });
    const failure = await ann.expectError('friendRequest:create', { userId: server.id });
    expect(failure.code).to.equal('not_found');
  });

  it('must name one other person, by id or by username', async () => {
    const [ann, ben] = await pair(app);
    const both = { userId: ben.id, username: ben.user.username! };
    for (const input of [{}, both])
      expect((await ann.expectError('friendRequest:create', input)).code).to.equal('invalid');
    expect((await ann.expectError('friendRequest:create', { userId: ann.id })).code).to.equal(
      'conflict',
    );
  });

  it('stays the same when sent again, with the same id or another', async () => {
    const [ann, ben] = await pair(app);
    const id = v7();
    const first = await ask(ann, ben, { id });
    expect(await ask(ann, ben, { id })).to.deep.equal(first);
    expect(await ask(ann, ben, { note: 'And another' })).to.deep.equal(first);
    const cem = await app.person();
    expect((await ann.expectError('friendRequest:create', { userId: cem.id, id })).code).to.equal(
      'conflict',
    );
  });

  it('is created once when sent ten times at once', async () => {
    const [ann, ben] = await pair(app);
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(ann, ben)));
    expect(new Set(asked.map(({ id }) => id)).size).to.equal(1);
    expect(await requestsOf(ben)).to.have.lengthOf(1);
  });

  it('becomes a friendship when it crosses another, even at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [ann, ben] = await pair(app);
      const [a, b] = await Promise.all([
        ann.send('friendRequest:create', { userId: ben.id }),
        ben.send('friendRequest:create', { userId: ann.id }),
      ]);
      expect(['friendship' in a, 'friendship' in b].sort()).to.deep.equal([false, true]);
      for (const person of [ann, ben]) {
        await waitForChange(person, 'friendship:created');
        expect(await requestsOf(person)).to.deep.equal([]);
        expect(await listFriendships(person)).to.have.lengthOf(1);
      }
      for (const person of [ann, ben]) person.close();
    }
  });

  it('returns the same friendship when a crossing one is sent again', async () => {
    const [ann, ben] = await pair(app);
    await ask(ann, ben);
    const crossing = { userId: ann.id, id: v7() };
    const first = await ben.send('friendRequest:create', crossing);
    expect(await ben.send('friendRequest:create', crossing)).to.deep.equal(first);
    expect((await ben.expectError('friendRequest:create', { userId: ann.id })).code).to.equal(
      'conflict',
    );
  });

  it('can get another note from its sender, which the recipient receives', async () => {
    const [ann, ben] = await pair(app);
    const { id: requestId } = await ask(ann, ben, { note: 'Hi' });
    await ann.send('friendRequest:update', { requestId, note: 'It is me, Ann' });
    const { changes } = await waitForChange(ben, 'friendRequest:updated');
    expect(JSON.stringify(changes)).to.include('It is me, Ann');
    expect((await requestsOf(ben))[0]?.note).to.equal('It is me, Ann');
    const note = { requestId, note: 'Mine now' };
    expect((await ben.expectError('friendRequest:update', note)).code).to.equal('forbidden');
    const cem = await app.person();
    expect((await cem.expectError('friendRequest:update', note)).code).to.equal('not_found');
    expect((await ann.expectError('friendRequest:update', { requestId })).code).to.equal('invalid');
  });

  it('cannot come from a guest, who may accept one and keeps the friend when registering', async () => {
    const ann = await app.person('Ann');
    const guest = await app.guest('Visitor');
    expect((await guest.expectError('friendRequest:create', { userId: ann.id })).code).to.equal(
      'forbidden',
    );
    await ask(ann, guest);
    await guest.send('friendship:create', { userId: ann.id });
    const username = 'visitor.no.more';
    const body = { username, password: 'a long enough one' };
    const claimed = await enterAs(app.url, 'register', body, guest.cookie);
    expect((await listFriendships(claimed))[0]).to.include({ userId: ann.id });
    await ann.waitFor('people', ({ people }) => people[guest.id]?.kind === 'registered');
  });

  it('is refused for a bot', async () => {
    const ann = await app.person();
    const { bot } = await ann.send('bot:create', { name: 'Echo' });
    const { server } = await ann.send('server:create', { name: 'Place' });
    await ann.send('bot:add', { botId: bot.id, serverId: server.id });
    expect((await ann.expectError('friendRequest:create', { userId: bot.id })).code).to.equal(
      'conflict',
    );
  });

  it('is refused beyond 1,000 open ones for each person', async () => {
    const [ann, ben] = await pair(app);
    await query(
      app.db,
      `insert into friend_requests
         (id, sender_id, recipient_id, note, hidden, sender_version, recipient_version)
       select gen_random_uuid(), unnest($2::uuid[]), $1, '', false, 0, 0`,
      [ann.id, await crowd(app, 1_000)],
    );
    const full = { code: 'conflict', message: /1000 open requests/ };
    const mine = await ann.expectError('friendRequest:create', { userId: ben.id });
    expect(mine.code).to.equal(full.code);
    expect(mine.message).to.match(full.message);
    expect((await ben.expectError('friendRequest:create', { userId: ann.id })).message).to.include(
      'They already have the maximum number',
    );
    const requestId = (await requestsOf(ann))[0]!.id;
    await ann.send('friendRequest:update', { requestId, status: 'declined' });
    await ask(ann, ben);
  });

  it('is limited in number for each sender, and for the same recipient', async () => {
    const strict = await startStrictApp();
    const [ann, ben] = await Promise.all([strict.person(), strict.person()]);
    const requestAgain = async () => {
      const { id } = await ask(ann, ben);
      await ann.send('friendRequest:delete', { requestId: id });
    };
    for (let i = 0; i < 10; i += 1) await requestAgain();
    const failure = await ann.expectError('friendRequest:create', { userId: ben.id });
    expect(failure).to.include({ code: 'rate_limited', retryable: true });
    expect(failure.retryAfterMs).to.be.above(3_600_000);
    const codes = [];
    for (let i = 0; i < 25; i += 1)
      codes.push((await ann.expectError('friendRequest:create', { userId: v7() })).code);
    expect(codes.slice(0, 19)).to.deep.equal(Array.from({ length: 19 }, () => 'not_found'));
    expect(codes.at(-1)).to.equal('rate_limited');
    await strict.close();
  });
});
