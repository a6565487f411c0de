import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { addSilentMembers } from '../support/crowd.ts';
import { connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { countStatements, untilSilent } from '../support/statements.ts';
import { until } from '../support/time.ts';
import { describeTopologies } from '../support/topologies.ts';

const hour = 3_600;

describe('newcomers', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;
  let channelId: string;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, ben, cem] = (await Promise.all(
      ['Ann', 'Ben', 'Cem'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    ({ serverId, channelId } = await openPlace(ann, ben, cem));
  });
  after(() => app.close());

  const age = (person: Person, by: string) =>
    query(
      app.db,
      `update members set joined_at = joined_at - $3::interval
       where server_id = $1 and user_id = $2`,
      [serverId, person.id, by],
    );
  const listed = async (seconds: number, by = ann) => {
    const { members, count, people } = await by.send('member:newcomers', { serverId, seconds });
    for (const { userId } of members) expect(people).to.have.property(userId);
    expect(count).to.equal(members.length);
    return members.map(({ userId }) => userId);
  };
  const memberIds = async () =>
    (await ann.send('member:list', { serverId, limit: 100 })).members.map(({ userId }) => userId);
  const banMany = (userIds: string[], by = ann) =>
    by.send('ban:createMany', { serverId, userIds, reason: 'Raid' });

  it('are listed newest first, without earlier members, staff and bots', async () => {
    const { bot } = await ann.send('bot:create', { name: 'Herald' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    await age(ben, '10 minutes');
    expect(await listed(hour)).to.deep.equal([cem.id, ben.id]);
    expect(await listed(300)).to.deep.equal([cem.id]);
    await age(ben, '1 hour');
    expect(await listed(hour)).to.deep.equal([cem.id]);
    await ann.send('member:update', { serverId, userId: cem.id, role: 'moderator' });
    expect(await listed(hour, cem)).to.deep.equal([]);
  });

  it('are banned together with their bots, and other people stay', async () => {
    const dora = await app.person('Dora');
    const stranger = await app.person('Stranger');
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await dora.send('server:join', { code });
    const { bot, token } = await ben.send('bot:create', { name: 'Spy' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    const spy = await connectBot(app.url, token);
    const made = (await ben.send('invite:create', { serverId })).invite;
    const { userIds } = await banMany([ben.id, dora.id, stranger.id, ann.id]);
    expect(userIds.toSorted()).to.deep.equal([ben.id, dora.id].sort());
    expect((await memberIds()).toSorted()).to.deep.equal([ann.id, cem.id].sort());
    for (const person of [ben, dora]) {
      await person.waitFor('changes', ({ changes }) =>
        changes.some((change) => change.type === 'server:removed' && change.ban !== undefined),
      );
      expect((await person.expectError('server:join', { code })).code).to.equal('not_found');
    }
    expect((await cem.expectError('invite:get', { code: made.code })).code).to.equal('not_found');
    await stranger.send('server:join', { code });
    spy.close();
    const { bans } = await ann.send('ban:list', { serverId });
    expect(bans.map(({ userId }) => userId).toSorted()).to.deep.equal(
      [ben.id, bot.id, dora.id].sort(),
    );
    expect(bans.every(({ reason }) => reason === 'Raid')).to.equal(true);
    const { entries } = await ann.send('audit:list', { serverId, actions: ['ban:created'] });
    expect(entries.map(({ userId }) => userId)).to.have.members([ben.id, bot.id, dora.id]);
  });

  it('are banned once, however often it is asked', async () => {
    const { bot } = await ben.send('bot:create', { name: 'Spy' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    const userIds = [ben.id, bot.id].sort();
    for (let round = 0; round < 2; round += 1)
      expect((await banMany(userIds)).userIds.toSorted()).to.deep.equal(userIds);
    const { entries } = await ann.send('audit:list', { serverId, actions: ['ban:created'] });
    expect(entries).to.have.length(2);
  });

  it('are banned by moderators, who leave out staff and people with a bot among them', async () => {
    const input = { serverId, userIds: [cem.id] };
    expect((await ben.expectError('ban:createMany', input)).code).to.equal('forbidden');
    const [dora, eva] = [await app.person('Dora'), await app.person('Eva')];
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    for (const person of [dora, eva]) await person.send('server:join', { code });
    const { bot } = await dora.send('bot:create', { name: 'Warden' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    for (const { id: userId } of [ben, bot])
      await ann.send('member:update', { serverId, userId, role: 'moderator' });
    const everyone = [ann, ben, cem, dora, eva].map(({ id }) => id);
    const { userIds } = await banMany(everyone, ben);
    expect(userIds.toSorted()).to.deep.equal([cem.id, eva.id].sort());
    expect((await banMany([dora.id])).userIds).to.deep.equal([dora.id]);
    expect((await memberIds()).toSorted()).to.deep.equal([ann.id, ben.id].sort());
  });

  it('have their recent messages deleted if the ban requests it', async () => {
    const say = (person: Person, body: string) =>
      person.send('message:send', { timelineId: channelId, body });
    await say(ben, 'Old');
    await query(
      app.db,
      `update messages set created_at = created_at - interval '2 hours' where timeline_id = $1`,
      [channelId],
    );
    await say(cem, 'Stays');
    await say(ben, 'Buy');
    await ann.send('ban:createMany', { serverId, userIds: [ben.id], deleteMessages: hour });
    app.pass(1_000);
    await until(async () => (await query(app.db, 'select from purges')).length === 0);
    const { messages } = await ann.send('message:list', { timelineId: channelId });
    expect(messages.map(({ body }) => body)).to.deep.equal(['Old', 'Stays', '']);
  });
});

describe('a ban of many members', () => {
  it('takes the same number of statements for any number of members', async () => {
    const app = await startApp();
    app.hold();
    const owner = await app.person();
    const { serverId } = await openPlace(owner);
    const statementsFor = async (many: number) => {
      await addSilentMembers(app, serverId, many);
      const { members } = await owner.send('member:list', { serverId, limit: 100 });
      const userIds = members.map(({ userId }) => userId).filter((id) => id !== owner.id);
      const sent = await countStatements(async () => {
        const banned = await owner.send('ban:createMany', { serverId, userIds });
        expect(banned.userIds).to.have.length(many);
        await untilSilent();
      });
      return sent.length;
    };
    const few = await statementsFor(2);
    expect(await statementsFor(20)).to.equal(few);
    await app.close();
  });
});

describe('a raid', () => {
  it('by 200 guests ends within the usual rate limits, and other members stay', async () => {
    const app = await startStrictApp({ PARLEY_LOBBY: 'off' });
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { serverId, code } = await openPlace(ann, ben);
    await query(app.db, `update members set joined_at = joined_at - interval '1 day'`);
    await addSilentMembers(app, serverId, 200);
    await ann.send('invite:pause', { serverId, seconds: hour });
    const { members, count } = await ann.send('member:newcomers', { serverId, seconds: hour });
    expect(count).to.equal(200);
    const userIds = members.map(({ userId }) => userId);
    const rest = [...userIds];
    while (rest.length > 0) {
      const some = rest.splice(0, quotas.bansAtOnce);
      const result = await ann.ask('ban:createMany', { serverId, userIds: some });
      expect(result, JSON.stringify(result)).to.include({ ok: true });
    }
    const left = await ann.send('member:newcomers', { serverId, seconds: hour });
    expect(left.count).to.equal(200 - userIds.length);
    expect((await ben.send('server:list', {})).servers.map(({ id }) => id)).to.include(serverId);
    await ann.send('invite:pause', { serverId, seconds: 0 });
    await (await app.person('Cem')).send('server:join', { code });
    await app.close();
  });
});

describeTopologies('a ban of many', (topology) => {
  it('lets nothing through that is sent after it, on either node', async () => {
    const ann = await topology().person('Ann');
    const people = await Promise.all(
      ['Ben', 'Cem', 'Dora', 'Eva'].map((name) => topology().person(name)),
    );
    const { serverId, channelId: timelineId } = await openPlace(ann, ...people);
    for (const person of people) await person.send('channel:join', { channelId: timelineId });
    const userIds = people.slice(0, 3).map(({ id }) => id);
    await ann.send('ban:createMany', { serverId, userIds });
    const { message } = await ann.send('message:send', { timelineId, body: 'Only for Eva' });
    const gets = (person: Person) =>
      person
        .received('changes')
        .some(({ changes }) =>
          changes.some(
            (change) => change.type === 'message:created' && change.message.id === message.id,
          ),
        );
    await people[3]!.waitFor('changes', ({ changes }) =>
      changes.some(
        (change) => change.type === 'message:created' && change.message.id === message.id,
      ),
    );
    for (const person of people.slice(0, 3)) {
      await person.waitFor('changes', ({ changes }) =>
        changes.some(({ type }) => type === 'server:removed'),
      );
      await person.send('session:list', {});
      expect(gets(person)).to.equal(false);
      const sent = await person.ask('message:send', { timelineId, body: 'Still here' });
      expect(sent).to.have.nested.property('error.code', 'not_found');
    }
  });
});
