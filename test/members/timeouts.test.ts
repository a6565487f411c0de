import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { ownContext } from '../../server/caller.ts';
import { sweepTimeouts } from '../../server/members/timeouts.ts';
import type { Member } from '../../shared/members.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import { handOver, openPlace } from '../support/place.ts';
import { describeTopologies } from '../support/topologies.ts';

const send = (person: Person, timelineId: string, body = 'Hi') =>
  person.ask('message:send', { timelineId, body });

describe('a time-out', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cleo: Person;
  let place: Awaited<ReturnType<typeof openPlace>>;
  let serverId: string;
  let channelId: string;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, ben, cleo] = (await Promise.all(
      ['Ann', 'Ben', 'Cleo'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    place = await openPlace(ann, ben, cleo);
    ({ serverId, channelId } = place);
  });
  after(() => app.close());

  const timeOut = (userId = ben.id, seconds = 3_600) =>
    ann.send('member:timeOut', { serverId, userId, seconds });
  const pass = () => query(app.db, `update timeouts set until = until - interval '1 hour'`);
  const memberOf = async (userId: string): Promise<Member> =>
    (await ann.send('member:list', { serverId, userIds: [userId] })).members[0]!;
  const expectRefused = async (person: Person, timelineId = channelId) =>
    expect(await send(person, timelineId))
      .to.have.property('error')
      .that.includes({ code: 'forbidden', message: 'You’re timed out in this server for now.' });
  const expectSent = async (person: Person, timelineId = channelId) =>
    expect(await send(person, timelineId)).to.include({ ok: true });

  it('leaves a member to read, and to do nothing else', async () => {
    const writes = async (person: Person) => {
      const { message } = await person.send('message:send', { timelineId: channelId, body: 'Tea' });
      const { id: messageId, position } = message;
      return {
        forbidden: () => [
          person.ask('message:send', { timelineId: channelId, body: 'Hi' }),
          person.ask('message:edit', { messageId, body: 'Coffee' }),
          person.ask('message:react', { messageId, emoji: '🍵', on: true }),
          person.ask('invite:create', { serverId }),
          person.ask('member:update', { serverId, userId: person.id, nickname: 'T' }),
        ],
        allowed: () => [
          person.ask('message:list', { timelineId: channelId }),
          person.ask('read:update', { timelineId: channelId, position }),
          person.ask('channel:join', { channelId }),
          person.ask('message:delete', { messageId }),
        ],
      };
    };
    const [bens, cleos] = [await writes(ben), await writes(cleo)];
    const { member } = await timeOut();
    expect(Date.parse(member.timeoutUntil!)).to.be.within(Date.now(), Date.now() + 3_600_000);
    for (const result of await Promise.all(bens.forbidden()))
      expect(result).to.have.nested.property('error.code', 'forbidden');
    for (const act of [bens.allowed, cleos.forbidden, cleos.allowed])
      for (const result of await Promise.all(act()))
        expect(result, JSON.stringify(result)).to.include({ ok: true });
  });

  it('is over at its time, and at once when it is ended or the member is made a moderator', async () => {
    await timeOut();
    await expectRefused(ben);
    await pass();
    await expectSent(ben);
    await timeOut();
    await expectRefused(ben);
    expect((await timeOut(ben.id, 0)).member).not.to.have.property('timeoutUntil');
    await expectSent(ben);
    await timeOut();
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    await expectSent(ben);
    expect(await memberOf(ben.id)).not.to.have.property('timeoutUntil');
  });

  it('is published, and so is its end', async () => {
    await cleo.send('server:open', { serverId });
    const isTold = (until: boolean) =>
      cleo.waitFor('changes', ({ changes }) =>
        changes.some(
          (change) =>
            change.type === 'member:updated' &&
            change.member.userId === ben.id &&
            (change.member.timeoutUntil !== undefined) === until,
        ),
      );
    await timeOut();
    await isTold(true);
    await sweepTimeouts(ownContext(app.node));
    expect(await memberOf(ben.id)).to.have.property('timeoutUntil');
    await pass();
    await sweepTimeouts(ownContext(app.node));
    await isTold(false);
    expect(await memberOf(ben.id)).not.to.have.property('timeoutUntil');
    const { entries } = await ann.send('audit:list', { serverId });
    expect(
      entries
        .filter(({ action }) => action.startsWith('member:time'))
        .map(({ action, actorId }) => [action, actorId]),
    ).to.deep.equal([
      ['member:timeoutEnded', null],
      ['member:timedOut', ann.id],
    ]);
  });

  it('holds for a member who leaves and joins again', async () => {
    await timeOut();
    await ben.send('server:leave', { serverId });
    await ben.send('server:join', { code: place.code });
    await expectRefused(ben);
    expect(await memberOf(ben.id)).to.have.property('timeoutUntil');
    await pass();
    await expectSent(ben);
  });

  it('ends for a person who becomes the owner', async () => {
    await timeOut();
    await handOver(serverId, ann, ben);
    await expectSent(ben);
    expect(await ben.ask('server:update', { serverId, name: 'Ben’s' })).to.include({ ok: true });
  });

  it('needs a higher role, for guests and bots too, and nobody gives it to themselves', async () => {
    await ann.send('member:update', { serverId, userId: cleo.id, role: 'moderator' });
    const dora = await app.person('Dora');
    await dora.send('server:join', { code: place.code });
    await dora.send('member:timeOut', { serverId, userId: ben.id, seconds: 60 }).then(
      () => expect.fail('a member timed out another'),
      (error: unknown) => expect(error).to.have.property('code', 'forbidden'),
    );
    const guest = await app.guest('Guest');
    await guest.send('server:join', { code: place.code });
    const { bot, token } = await ann.send('bot:create', { name: 'Herald', scopes: ['send'] });
    await ann.send('bot:add', { botId: bot.id, serverId });
    const herald = await connectBot(app.url, token);
    for (const person of [ben, guest, herald]) {
      await expectSent(person);
      await cleo.send('member:timeOut', { serverId, userId: person.id, seconds: 60 });
      await expectRefused(person);
    }
    herald.close();
    const by = (person: Person, userId: string) =>
      person.ask('member:timeOut', { serverId, userId, seconds: 60 });
    expect(await by(cleo, ann.id)).to.have.nested.property('error.code', 'forbidden');
    expect(await by(cleo, cleo.id)).to.have.nested.property('error.code', 'conflict');
    expect(await by(ann, cleo.id)).to.include({ ok: true });
    await expectRefused(cleo);
    expect(await by(cleo, ben.id)).to.have.nested.property('error.code', 'forbidden');
  });

  it('stays when a timed-out moderator gets another nickname', async () => {
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    await timeOut();
    await ann.send('member:update', { serverId, userId: ben.id, nickname: 'Benny' });
    await expectRefused(ben);
  });

  it('is not ended by a bot of the member', async () => {
    await timeOut();
    const { bot, token } = await ben.send('bot:create', {
      ...{ name: 'Helper', scopes: ['manage members'] },
    });
    await ann.send('bot:add', { botId: bot.id, serverId });
    await ann.send('member:update', { serverId, userId: bot.id, role: 'moderator' });
    const helper = await connectBot(app.url, token);
    const end = { serverId, userId: ben.id, seconds: 0 };
    expect(await helper.ask('member:timeOut', end)).to.have.nested.property(
      'error.code',
      'conflict',
    );
    helper.close();
    await expectRefused(ben);
  });

  it('is of one server', async () => {
    const other = await openPlace(ann, ben);
    await timeOut();
    await expectRefused(ben);
    await expectSent(ben, other.channelId);
  });
});

describeTopologies('a time-out', (topology) => {
  it('lets through no message once it is answered, on either node', async () => {
    const [ann, ben] = [await topology().person(), await topology().person()];
    const { serverId, channelId } = await openPlace(ann, ben);
    const devices = [ben, await topology().elsewhere(ben)];
    let refused = 0;
    for (let round = 0; round < 5; round += 1) {
      await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 0 });
      let isAnswered = false;
      const speak = async (person: Person) => {
        while (!isAnswered) {
          const result = await send(person, channelId, `Round ${round}`);
          if (result.ok) continue;
          expect(result.error.code).to.equal('forbidden');
          refused += 1;
        }
      };
      const speaking = devices.flatMap((device) => Array.from({ length: 4 }, () => speak(device)));
      await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 60 });
      const newest = async () =>
        (await ann.send('message:list', { timelineId: channelId, limit: 1 })).messages[0]?.position;
      const at = await newest();
      isAnswered = true;
      await Promise.all(speaking);
      expect(await newest()).to.equal(at);
    }
    expect(refused).to.be.above(0);
  });
});
