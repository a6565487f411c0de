/** Asking, answering, being friends, and what either side hears of it. */
import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../server/database/database.ts';
import type { ChangeType } from '../shared/rooms.ts';
import { startApp, type TestApp } from './support/app.ts';
import { enterAs, post, type Person } from './support/person.ts';

describe('friends', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  const pair = () => Promise.all([app.person('Ann'), app.person('Ben')]);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  async function ask(from: Person, to: Person, more: object = {}) {
    const asked = await from.send('friendRequest:create', { userId: to.id, ...more });
    if (!('friendRequest' in asked)) throw new Error('they are friends');
    return asked.friendRequest;
  }
  async function befriend(one: Person, other: Person) {
    await ask(one, other);
    return (await other.send('friendship:create', { userId: one.id })).friendship;
  }
  const requestsOf = async (person: Person) =>
    (await person.send('friendRequest:list', {})).friendRequests;
  const friendsOf = async (person: Person) =>
    (await person.send('friendship:list', {})).friendships;
  const hearsOf = (person: Person, type: ChangeType) =>
    person.hears('changes', ({ changes }) => changes.some((change) => change.type === type));
  const codeOf = (error: unknown) => (error as { code: string }).code;
  const heardTypes = (person: Person) =>
    person.heard('changes').flatMap(({ changes }) => changes.map(({ type }) => type));
  /** So many accounts that nobody uses. */
  async function crowd(size: number): Promise<string[]> {
    const ids = Array.from({ length: size }, () => v7());
    await query(app.app.db, `insert into rooms (id, kind) select unnest($1::uuid[]), 'user'`, [
      ids,
    ]);
    await query(
      app.app.db,
      `insert into users (id, kind, display_name) select unnest($1::uuid[]), 'guest', 'Extra'`,
      [ids],
    );
    return ids;
  }

  describe('a request', () => {
    it('is found by both, live and by whoever comes in later, with its note', async () => {
      const [ann, ben] = await pair();
      const request = await ask(ann, ben, { note: 'We met at the fair' });
      expect(request).to.deep.include({
        senderId: ann.id,
        recipientId: ben.id,
        note: 'We met at the fair',
      });
      const { changes, people } = await hearsOf(ben, 'friendRequest:created');
      expect(changes[0]).to.deep.include({ type: 'friendRequest:created' });
      expect(people[ann.id]?.name).to.equal('Ann');
      await hearsOf(ann, 'friendRequest:created');
      for (const person of [ann, ben]) {
        const { ready } = await person.again();
        if (ready.status !== 'snapshot') throw new Error(ready.status);
        expect(ready.state.friendRequests.map(({ id }) => id)).to.deep.equal([request.id]);
        expect(Object.keys(ready.people)).to.include.members([ann.id, ben.id]);
        expect((await requestsOf(person)).map(({ id }) => id)).to.deep.equal([request.id]);
      }
    });

    it('reaches somebody by username, however it is written', async () => {
      const [ann, ben] = await pair();
      const username = ben.user.username!.toUpperCase();
      await ann.send('friendRequest:create', { username });
      expect((await requestsOf(ben))[0]).to.include({ senderId: ann.id });
      for (const nobody of [{ username: 'nobody.at.all' }, { userId: v7() }])
        expect((await ann.fails('friendRequest:create', nobody)).code).to.equal('not_found');
      // A server has an id as well, and is no person.
      const { server } = await ann.send('server:create', { name: 'Place' });
      const failure = await ann.fails('friendRequest:create', { userId: server.id });
      expect(failure.code).to.equal('not_found');
    });

    it('names one person, in one way', async () => {
      const [ann, ben] = await pair();
      const both = { userId: ben.id, username: ben.user.username! };
      for (const input of [{}, both])
        expect((await ann.fails('friendRequest:create', input)).code).to.equal('invalid');
      expect((await ann.fails('friendRequest:create', { userId: ann.id })).code).to.equal(
        'conflict',
      );
    });

    it('sent again, with the same id or another, is the one that was sent', async () => {
      const [ann, ben] = await pair();
      const id = v7();
      const first = await ask(ann, ben, { id });
      expect(await ask(ann, ben, { id })).to.deep.equal(first);
      expect(await ask(ann, ben, { note: 'And another' })).to.deep.equal(first);
      const cem = await app.person();
      expect((await ann.fails('friendRequest:create', { userId: cem.id, id })).code).to.equal(
        'conflict',
      );
    });

    it('raced by ten of the same is one', async () => {
      const [ann, ben] = await pair();
      const asked = await Promise.all(Array.from({ length: 10 }, () => ask(ann, ben)));
      expect(new Set(asked.map(({ id }) => id)).size).to.equal(1);
      expect(await requestsOf(ben)).to.have.lengthOf(1);
    });

    it('crossing another is a friendship, however close they are', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [ann, ben] = await pair();
        const [a, b] = await Promise.all([
          ann.send('friendRequest:create', { userId: ben.id }),
          ben.send('friendRequest:create', { userId: ann.id }),
        ]);
        expect(['friendship' in a, 'friendship' in b].sort()).to.deep.equal([false, true]);
        for (const person of [ann, ben]) {
          await hearsOf(person, 'friendship:created');
          expect(await requestsOf(person)).to.deep.equal([]);
          expect(await friendsOf(person)).to.have.lengthOf(1);
        }
        for (const person of [ann, ben]) person.close();
      }
    });

    it('that crossed one answers with the same friendship when it is sent once more', async () => {
      const [ann, ben] = await pair();
      await ask(ann, ben);
      const crossing = { userId: ann.id, id: v7() };
      const first = await ben.send('friendRequest:create', crossing);
      expect(await ben.send('friendRequest:create', crossing)).to.deep.equal(first);
      expect((await ben.fails('friendRequest:create', { userId: ann.id })).code).to.equal(
        'conflict',
      );
    });

    it('can be given another note by its sender, which the other hears', async () => {
      const [ann, ben] = await pair();
      const { id: requestId } = await ask(ann, ben, { note: 'Hi' });
      await ann.send('friendRequest:update', { requestId, note: 'It is me, Ann' });
      const { changes } = await hearsOf(ben, 'friendRequest:updated');
      expect(JSON.stringify(changes)).to.include('It is me, Ann');
      expect((await requestsOf(ben))[0]?.note).to.equal('It is me, Ann');
      const note = { requestId, note: 'Mine now' };
      expect((await ben.fails('friendRequest:update', note)).code).to.equal('forbidden');
      const cem = await app.person();
      expect((await cem.fails('friendRequest:update', note)).code).to.equal('not_found');
      expect((await ann.fails('friendRequest:update', { requestId })).code).to.equal('invalid');
    });

    it('is accepted by the one who was asked, and by nobody else', async () => {
      const [ann, ben] = await pair();
      const { id: requestId } = await ask(ann, ben);
      const accept = { requestId, status: 'accepted' } as const;
      expect((await ann.fails('friendRequest:update', accept)).code).to.equal('forbidden');
      const cem = await app.person();
      expect((await cem.fails('friendRequest:update', accept)).code).to.equal('not_found');
      const answer = await ben.send('friendRequest:update', accept);
      expect(answer).to.have.property('friendship').that.includes({ userId: ann.id });
      // The answer was lost: it is asked for again.
      expect(await ben.send('friendRequest:update', accept)).to.deep.equal(answer);
      await hearsOf(ann, 'friendship:created');
      expect((await friendsOf(ann))[0]).to.include({ id: requestId, userId: ben.id });
    });

    it('that is declined goes from the one who was asked; its sender sees it as before', async () => {
      const [ann, ben] = await pair();
      const request = await ask(ann, ben, { note: 'Please' });
      const { id: requestId } = request;
      const heardBefore = heardTypes(ann).length;
      await ben.send('friendRequest:update', { requestId, status: 'declined' });
      await hearsOf(ben, 'friendRequest:deleted');
      expect(await requestsOf(ben)).to.deep.equal([]);
      expect((await ann.again()).ready).to.have.nested.property('state.friendRequests.length', 1);
      expect(await requestsOf(ann)).to.deep.equal([request]);
      // Asking again is answered like the first time, and is not told.
      expect(await ask(ann, ben)).to.deep.equal(request);
      const rewritten = await ann.send('friendRequest:update', {
        requestId,
        note: 'Pretty please',
      });
      expect(rewritten).to.have.nested.property('friendRequest.note', 'Pretty please');
      await ann.send('friendRequest:delete', { requestId });
      await ask(ann, ben);
      await pause(200);
      expect(heardTypes(ann).slice(heardBefore)).to.deep.equal([
        'friendRequest:updated',
        'friendRequest:deleted',
        'friendRequest:created',
      ]);
      expect(await requestsOf(ben)).to.deep.equal([]);
      expect(heardTypes(ben).filter((type) => type !== 'server:joined')).to.deep.equal([
        'friendRequest:created',
        'friendRequest:deleted',
      ]);
      for (const status of ['accepted', 'declined'] as const)
        expect((await ben.fails('friendRequest:update', { requestId, status })).code).to.equal(
          'not_found',
        );
    });

    it('that was declined comes up again when it is asked after the pause', async () => {
      const [ann, ben] = await pair();
      const { id: requestId } = await ask(ann, ben);
      await ben.send('friendRequest:update', { requestId, status: 'declined' });
      await ask(ann, ben);
      expect(await requestsOf(ben)).to.deep.equal([]);
      await query(
        app.app.db,
        `update declines set at = at - interval '8 days' where sender_id = $1`,
        [ann.id],
      );
      await ask(ann, ben);
      expect((await requestsOf(ben)).map(({ id }) => id)).to.deep.equal([requestId]);
      await ben.send('friendRequest:update', { requestId, status: 'accepted' });
      expect(await friendsOf(ann)).to.have.lengthOf(1);
    });

    it('that was declined is a friendship when the other asks after all', async () => {
      const [ann, ben] = await pair();
      const { id: requestId } = await ask(ann, ben);
      await ben.send('friendRequest:update', { requestId, status: 'declined' });
      const answer = await ben.send('friendRequest:create', { userId: ann.id });
      expect(answer).to.have.property('friendship');
      expect(await requestsOf(ann)).to.deep.equal([]);
    });

    it('is taken back by its sender alone', async () => {
      const [ann, ben] = await pair();
      const { id: requestId } = await ask(ann, ben);
      expect((await ben.fails('friendRequest:delete', { requestId })).code).to.equal('forbidden');
      const cem = await app.person();
      expect((await cem.fails('friendRequest:delete', { requestId })).code).to.equal('not_found');
      await ann.send('friendRequest:delete', { requestId });
      await hearsOf(ben, 'friendRequest:deleted');
      expect(await requestsOf(ben)).to.deep.equal([]);
      expect((await ann.fails('friendRequest:delete', { requestId })).code).to.equal('not_found');
    });

    it('answered on two devices, or taken back at the same time, comes to one end', async () => {
      for (let round = 0; round < 8; round += 1) {
        const [ann, ben] = await pair();
        const { id: requestId } = await ask(ann, ben);
        const answers = [
          ben.send('friendRequest:update', { requestId, status: 'accepted' }),
          ben.send('friendRequest:update', { requestId, status: 'accepted' }),
          ...(round % 2 === 0
            ? [ben.send('friendRequest:update', { requestId, status: 'declined' })]
            : [ann.send('friendRequest:delete', { requestId })]),
        ].map((answer) => answer.then(() => 'ok').catch(codeOf));
        const outcomes = await Promise.all(answers);
        expect(outcomes[0], 'two that say the same are answered the same').to.equal(outcomes[1]);
        expect([...outcomes].sort().join()).to.be.oneOf([
          'not_found,ok,ok',
          'not_found,not_found,ok',
        ]);
        const friends = outcomes[0] === 'ok' ? 1 : 0;
        for (const person of [ann, ben]) expect(await friendsOf(person)).to.have.lengthOf(friends);
        for (const person of [ann, ben]) person.close();
      }
    });

    it('cannot come from a guest, who may accept one and keeps the friend when registering', async () => {
      const ann = await app.person('Ann');
      const guest = await app.guest('Visitor');
      expect((await guest.fails('friendRequest:create', { userId: ann.id })).code).to.equal(
        'forbidden',
      );
      await ask(ann, guest);
      await guest.send('friendship:create', { userId: ann.id });
      const username = 'visitor.no.more';
      const body = { username, password: 'a long enough one' };
      const claimed = await enterAs(app.url, 'register', body, guest.cookie);
      expect((await friendsOf(claimed))[0]).to.include({ userId: ann.id });
      await ann.hears('people', ({ people }) => people[guest.id]?.kind === 'registered');
    });

    it('to a bot is refused, and a bot asks nobody', async () => {
      const ann = await app.person();
      const { bot } = await ann.send('bot:create', { name: 'Echo' });
      expect((await ann.fails('friendRequest:create', { userId: bot.id })).code).to.equal(
        'conflict',
      );
    });

    it('is one of at most 1,000 that one person has open', async () => {
      const [ann, ben] = await pair();
      await query(
        app.app.db,
        `insert into friend_requests
           (id, sender_id, recipient_id, note, hidden, sender_version, recipient_version)
         select gen_random_uuid(), unnest($2::uuid[]), $1, '', false, 0, 0`,
        [ann.id, await crowd(1_000)],
      );
      const full = { code: 'conflict', message: /1000 open requests/ };
      const mine = await ann.fails('friendRequest:create', { userId: ben.id });
      expect(mine.code).to.equal(full.code);
      expect(mine.message).to.match(full.message);
      expect((await ben.fails('friendRequest:create', { userId: ann.id })).message).to.include(
        'They have as many',
      );
      const requestId = (await requestsOf(ann))[0]!.id;
      await ann.send('friendRequest:update', { requestId, status: 'declined' });
      await ask(ann, ben);
    });

    it('is limited in how many one sends, and how often to the same person', async () => {
      const strict = await startApp({ PARLEY_RATE_SCALE: '1' });
      const [ann, ben] = await Promise.all([strict.person(), strict.person()]);
      const again = async () => {
        const { id } = await ask(ann, ben);
        await ann.send('friendRequest:delete', { requestId: id });
      };
      for (let i = 0; i < 10; i += 1) await again();
      const failure = await ann.fails('friendRequest:create', { userId: ben.id });
      expect(failure).to.include({ code: 'rate_limited', retryable: true });
      expect(failure.retryAfterMs).to.be.above(3_600_000);
      const codes = [];
      for (let i = 0; i < 25; i += 1)
        codes.push((await ann.fails('friendRequest:create', { userId: v7() })).code);
      expect(codes.slice(0, 19)).to.deep.equal(Array.from({ length: 19 }, () => 'not_found'));
      expect(codes.at(-1)).to.equal('rate_limited');
      await strict.close();
    });
  });

  describe('a friendship', () => {
    it('begins by accepting the request of that person', async () => {
      const [ann, ben] = await pair();
      expect((await ben.fails('friendship:create', { userId: ann.id })).code).to.equal('not_found');
      const friendship = await befriend(ann, ben);
      expect(friendship).to.deep.include({ userId: ann.id, nickname: null, favourite: false });
      expect(await ben.send('friendship:create', { userId: ann.id })).to.deep.equal({ friendship });
      const [seen] = await friendsOf(ann);
      expect(seen).to.include({ id: friendship.id, userId: ben.id });
      const { ready } = await ann.again();
      if (ready.status !== 'snapshot') throw new Error(ready.status);
      expect(ready.state.friendships).to.deep.equal([seen]);
      expect(ready.people[ben.id]?.name).to.equal('Ben');
    });

    it('has a nickname and a star on each side, which the other never learns', async () => {
      const [ann, ben] = await pair();
      const { id: friendshipId } = await befriend(ann, ben);
      const { friendship } = await ann.send('friendship:update', {
        friendshipId,
        nickname: 'Benny',
        favourite: true,
      });
      expect(friendship).to.include({ nickname: 'Benny', favourite: true });
      const { changes } = await hearsOf(ann, 'friendship:updated');
      expect(changes).to.deep.equal([
        { type: 'friendship:updated', version: friendship.version, friendship },
      ]);
      const again = await ann.send('friendship:update', { friendshipId, favourite: true });
      expect(again.friendship, 'what is so already changes nothing').to.deep.equal(friendship);
      const cleared = await ann.send('friendship:update', { friendshipId, nickname: null });
      expect(cleared.friendship).to.include({ nickname: null, favourite: true });
      expect((await friendsOf(ben))[0]).to.include({ nickname: null, favourite: false });
      await pause(200);
      expect(heardTypes(ben)).not.to.include('friendship:updated');
      const cem = await app.person();
      for (const name of ['friendship:update', 'friendship:delete'] as const)
        expect((await cem.fails(name, { friendshipId })).code).to.equal('not_found');
    });

    it('ends on both sides, by either', async () => {
      const [ann, ben] = await pair();
      const { id: friendshipId } = await befriend(ann, ben);
      await ben.send('friendship:delete', { friendshipId });
      for (const person of [ann, ben]) {
        await hearsOf(person, 'friendship:deleted');
        expect(await friendsOf(person)).to.deep.equal([]);
        const failure = await person.fails('friendship:delete', { friendshipId });
        expect(failure.code).to.equal('not_found');
      }
      await befriend(ben, ann);
      expect(await friendsOf(ann)).to.have.lengthOf(1);
    });

    it('is one of at most 1,000', async () => {
      const [ann, ben] = await pair();
      await query(
        app.app.db,
        `insert into friendships (id, user_id, friend_id, version)
         select gen_random_uuid(), $1, unnest($2::uuid[]), 0`,
        [ann.id, await crowd(1_000)],
      );
      await ask(ann, ben);
      const failure = await ben.fails('friendship:create', { userId: ann.id });
      expect(failure.code).to.equal('conflict');
      expect(failure.message).to.include('They have as many friends');
      const friendshipId = (await friendsOf(ann))[0]!.id;
      await ann.send('friendship:delete', { friendshipId });
      await ben.send('friendship:create', { userId: ann.id });
    });

    it('tells each of the other’s new name', async () => {
      const [ann, ben] = await pair();
      await befriend(ann, ben);
      for (const person of [ann, ben])
        for (const { id } of (await person.send('server:list', {})).servers)
          await person.send('server:leave', { serverId: id });
      await ben.send('user:update', { displayName: 'Benjamin' });
      await ann.hears('people', ({ people }) => people[ben.id]?.name === 'Benjamin');
    });
  });

  describe('presence of friends', () => {
    /** Two who share no server. */
    async function apart() {
      const [ann, ben] = await pair();
      for (const person of [ann, ben])
        for (const { id } of (await person.send('server:list', {})).servers)
          await person.send('server:leave', { serverId: id });
      return [ann, ben] as const;
    }
    const saw = (person: Person, { id }: Person, status: string) =>
      person.hears('presence', ({ room, users }) => {
        return room === `user:${person.id}` && users[id] === status;
      });
    const signOut = (person: Person) => person.send('session:logout', {});

    it('is told when they become friends, when they go, and when one comes in', async () => {
      const [ann, ben] = await apart();
      await befriend(ann, ben);
      await saw(ann, ben, 'online');
      await saw(ben, ann, 'online');
      const { ready } = await ann.again();
      expect(ready)
        .to.have.property('presence')
        .that.deep.equals({ [ben.id]: 'online' });
      expect((await ann.send('friendship:list', {})).presence).to.deep.equal({
        [ben.id]: 'online',
      });
      await signOut(ben);
      await saw(ann, ben, 'offline');
      expect((await ann.again()).ready)
        .to.have.property('presence')
        .that.deep.equals({});
    });

    it('follows a friend who comes online later', async () => {
      const [ann, ben] = await apart();
      await befriend(ann, ben);
      const password = `the password of ${ben.user.username}`;
      await signOut(ben);
      await saw(ann, ben, 'offline');
      const before = ann.heard('presence').length;
      await enterAs(app.url, 'login', { username: ben.user.username, password });
      await ann.hears('presence', (presence) => {
        const isNew = ann.heard('presence').indexOf(presence) >= before;
        return isNew && presence.users[ben.id] === 'online';
      });
    });

    it('is not told to who was asked only, nor after they parted', async () => {
      const [ann, ben] = await apart();
      await ask(ann, ben);
      await signOut(ben);
      const [cem, dan] = await apart();
      const { id: friendshipId } = await befriend(cem, dan);
      await saw(cem, dan, 'online');
      await cem.send('friendship:delete', { friendshipId });
      await signOut(dan);
      await pause(2_500);
      expect(ann.heard('presence').some(({ users }) => ben.id in users)).to.equal(false);
      const ends = cem.heard('presence').filter(({ users }) => users[dan.id] === 'offline');
      expect(ends).to.deep.equal([]);
      expect((await cem.again()).ready)
        .to.have.property('presence')
        .that.deep.equals({});
    });
  });

  it('can be had by HTTP as well', async () => {
    const [ann, ben] = await pair();
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
