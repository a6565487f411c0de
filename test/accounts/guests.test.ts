import { expect } from 'chai';
import { endAwayGuests } from '../../server/accounts/former-guests.ts';
import { claimTurn } from '../../server/database/turns.ts';
import { query } from '../../server/database/database.ts';
import { limits } from '../../shared/limits.ts';
import { serverRoom, timelineRoom, userRoom } from '../../shared/rooms.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { Mirror } from '../support/mirror.ts';
import { enterAs, type Person } from '../support/person.ts';
import { newForm } from '../support/auth.ts';

describe('a guest who stays away', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;
  let timelineId: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Ours' });
    serverId = server.id;
    timelineId = server.defaultChannelId;
  });
  after(() => app.close());

  async function newGuest(name: string): Promise<Person> {
    const { invite } = await ann.send('invite:create', { serverId, maxUses: 1 });
    return enterAs(app.url, 'guest', { displayName: name, invite: invite.code });
  }

  const away = ({ id }: Person, days: number, { db } = app) =>
    query(db, `update users set away_since = now() - $2 * interval '1 day' where id = $1`, [
      id,
      days,
    ]);

  async function gone(guest: Person) {
    await guest.send('session:logout', {});
    await away(guest, 31);
  }

  const membersOf = async () =>
    (await ann.send('member:list', { serverId })).members.map(({ userId }) => userId);

  it('is removed from everything after 30 days; their messages stay, under “Former guest”', async () => {
    const ben = await app.person('Ben');
    const guest = await newGuest('Gus');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    const { message } = await guest.send('message:send', { timelineId, body: 'I was here' });
    await ann.send('message:send', { timelineId, body: `<@${guest.id}> so were you` });
    const group = (await ann.send('conversation:create', { userIds: [ben.id, guest.id] }))
      .conversation;
    const two = (await ann.send('conversation:create', { userIds: [guest.id] })).conversation;
    await guest.send('message:send', { timelineId: two.id, body: 'Between us' });
    const answer = (body: string) => ann.ask('message:send', { timelineId: two.id, body });
    expect(await answer('Still between us')).to.deep.include({ ok: true });
    await ann.send('friendRequest:create', { userId: guest.id });
    await guest.send('friendship:create', { userId: ann.id });
    await guest.send('sidebar:place', { list: 'favourites', targetId: timelineId });
    await guest.send('user:update', { statusText: { text: 'Gus is here' } });
    await ben.send('friendRequest:create', { userId: guest.id });
    const mirror = new Mirror(ann);
    for (const room of [serverRoom(serverId), timelineRoom(timelineId)]) await mirror.open(room);
    await gone(guest);
    await endAwayGuests(app);

    const { people } = await ann.waitFor(
      'people',
      ({ people }) => people[guest.id]?.name === 'Former guest',
    );
    expect(people[guest.id]).to.deep.equal({
      id: guest.id,
      name: 'Former guest',
      kind: 'guest',
      rev: 3,
    });
    await mirror.becomesTrue();
    expect(await membersOf()).to.not.include(guest.id);
    expect(mirror.state(userRoom(ann.id))?.friendships).to.deep.equal([]);
    expect((await ben.send('friendRequest:list', {})).friendRequests).to.deep.equal([]);
    const { conversations } = await ann.send('conversation:list', {});
    expect(conversations.find(({ id }) => id === group.id)?.participantIds).to.have.members([
      ann.id,
      ben.id,
    ]);
    const page = await ann.send('message:list', { timelineId });
    expect(page.messages.find(({ id }) => id === message.id)).to.include({
      authorId: guest.id,
      body: 'I was here',
    });
    expect(page.people[guest.id]?.name).to.equal('Former guest');
    const between = await ann.send('message:list', { timelineId: two.id });
    const said = ['Between us', 'Still between us'];
    expect(between.messages.map(({ body }) => body)).to.deep.equal(said);
    const late = await answer('Are you there?');
    expect(!late.ok && late.error.code).to.equal('forbidden');
    for (const table of [
      'members',
      'reads',
      'mentions',
      'friendships',
      'sidebar_lists',
      'sessions',
    ])
      expect(
        await query(app.db, `select 1 from ${table} where user_id = $1`, [guest.id]),
        table,
      ).to.deep.equal([]);
    expect(
      JSON.stringify(await query(app.db, 'select * from users where id = $1', [guest.id])),
    ).to.not.include('Gus');
    await ann.send('message:delete', { messageId: message.id });
  });

  it('stays distinct from other former guests', async () => {
    const [one, other] = [await newGuest('One'), await newGuest('Other')];
    for (const guest of [one, other])
      await guest.send('message:send', { timelineId, body: 'Goodbye' });
    for (const guest of [one, other]) await gone(guest);
    await endAwayGuests(app);
    const { messages, people } = await ann.send('message:list', { timelineId });
    const said = messages.filter(({ body }) => body === 'Goodbye');
    expect(said.map(({ authorId }) => authorId)).to.deep.equal([one.id, other.id]);
    expect(said.map(({ authorId }) => people[authorId]?.name)).to.deep.equal([
      'Former guest',
      'Former guest',
    ]);
  });

  it('is removed neither before that, nor during a session, nor after registering', async () => {
    const [late, here, claimed] = [
      await newGuest('Late'),
      await newGuest('Here'),
      await newGuest('Claimed'),
    ];
    await late.send('session:logout', {});
    await away(late, 29);
    await away(here, 300);
    const now = await enterAs(app.url, 'register', newForm(), claimed.cookie);
    await now.send('session:logout', {});
    await away(claimed, 300);
    await endAwayGuests(app);
    expect(await membersOf()).to.include.members([late.id, here.id, claimed.id]);
    await here.send('message:send', { timelineId, body: 'Still here' });
  });

  it('is removed after the number of days in PARLEY_GUEST_DAYS', async () => {
    for (const days of [3, 90]) {
      const theirs = await startApp({ PARLEY_GUEST_DAYS: String(days) });
      const ben = await theirs.person('Ben');
      const [lobby] = (await ben.send('server:list', {})).servers;
      const [before, after] = [await theirs.guest('Before'), await theirs.guest('After')];
      for (const guest of [before, after]) await guest.send('session:logout', {});
      await away(before, days - 1, theirs);
      await away(after, days + 1, theirs);
      await endAwayGuests(theirs);
      const { members } = await ben.send('member:list', { serverId: lobby?.id ?? '' });
      const ids = members.map(({ userId }) => userId);
      expect(ids, `${days} days`).to.include(before.id).and.not.include(after.id);
      await theirs.close();
    }
  });

  it('counts as away from the end of the last session', async () => {
    const guest = await newGuest('Gus');
    await away(guest, 300);
    await guest.send('session:logout', {});
    await endAwayGuests(app);
    expect(await membersOf()).to.include(guest.id);
  });

  it('does not delay others when the removal fails, and is tried again later', async () => {
    const [stuck, other] = [await newGuest('Stuck'), await newGuest('Other')];
    for (const guest of [stuck, other]) await gone(guest);
    await query(
      app.db,
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'not now'; end $$`,
    );
    await query(
      app.db,
      `create trigger refuse before delete on members for each row
         when (old.user_id = '${stuck.id}') execute function refuse()`,
    );
    await endAwayGuests(app);
    expect(await membersOf())
      .to.include(stuck.id)
      .and.not.include(other.id);
    await query(app.db, 'drop trigger refuse on members');
    await endAwayGuests(app);
    expect(await membersOf()).to.include(stuck.id);
    await away(stuck, 31);
    await endAwayGuests(app);
    expect(await membersOf()).to.not.include(stuck.id);
  });

  it('is searched for by one node at a time', async () => {
    const { db } = app;
    const claims = await Promise.all([1, 2, 3].map(() => claimTurn(db, 'a test', 60)));
    expect(claims.filter((claimed) => claimed)).to.have.length(1);
    expect(await claimTurn(db, 'a test', 60)).to.equal(false);
    await query(db, `update settings set value = (now() - interval '61 s')::text where key = $1`, [
      'turn: a test',
    ]);
    expect(await claimTurn(db, 'a test', 60)).to.equal(true);
  });
});

describe('the daily message limit of a guest', () => {
  it('counts bytes, edits included, and does not apply to registered people', async () => {
    const app = await startStrictApp();
    const [guest, ann] = [await app.guest('Gus'), await app.person('Ann')];
    const [lobby] = (await guest.send('server:list', {})).servers;
    const timelineId = lobby?.defaultChannelId ?? '';
    /** 16,000 bytes. */
    const body = '🦊'.repeat(limits.body);
    const send = (person: Person) => person.send('message:send', { timelineId, body });
    const { message } = await send(guest);
    for (let i = 1; i < 11; i += 1) await send(guest);
    await guest.send('message:edit', { messageId: message.id, body: '🦉'.repeat(limits.body) });
    for (const failure of [
      await guest.expectError('message:send', { timelineId, body }),
      await guest.expectError('message:edit', { messageId: message.id, body }),
    ]) {
      expect(failure.code).to.equal('rate_limited');
      expect(failure.retryAfterMs).to.be.within(3_600_000, 86_400_000);
      expect(failure.message).to.include('Create an account');
    }
    await guest.send('message:delete', { messageId: message.id });
    for (let i = 0; i < 14; i += 1) await send(ann);
    await app.close();
  });
});
