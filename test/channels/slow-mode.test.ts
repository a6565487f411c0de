import { expect } from 'chai';
import { v7 } from 'uuid';
import { sweepSlowSends } from '../../server/slow-mode/part.ts';
import { query } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { describeTopologies } from '../support/topologies.ts';

const hourMs = 3_600_000;
const send = (person: Person, timelineId: string, id = v7()) =>
  person.ask('message:send', { timelineId, body: 'Hi', id });

describe('slow mode', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let place: Awaited<ReturnType<typeof openPlace>>;
  let channelId: string;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
    ({ channelId } = place);
    await slow(3_600);
  });
  after(() => app.close());

  const slow = (slowSeconds: number) => ann.send('channel:update', { channelId, slowSeconds });
  const expectWait = async (person: Person) => {
    const result = await send(person, channelId);
    expect(result).to.have.nested.property('error.code', 'rate_limited');
    expect(result).to.have.nested.property('error.message', 'Slow mode: one message every 3600 s.');
    expect(result).to.have.nested.property('error.retryAfterMs').within(1, hourMs);
  };
  const sendFirst = async () => {
    const result = await send(ben, channelId);
    if (!result.ok) throw new Error(result.error.message);
    return result.value.message;
  };

  it('makes members and guests wait, but not moderators and the owner', async () => {
    const guest = await app.guest('Guest');
    await guest.send('server:join', { code: place.code });
    for (const person of [ben, guest]) {
      expect(await send(person, channelId)).to.include({ ok: true });
      await expectWait(person);
    }
    for (const _ of [1, 2]) expect(await send(ann, channelId)).to.include({ ok: true });
    const herself = { serverId: place.serverId, userId: ben.id };
    await ann.send('member:update', { ...herself, role: 'moderator' });
    expect(await send(ben, channelId)).to.include({ ok: true });
  });

  it('makes bots wait unless they are moderators', async () => {
    const { bot, token } = await ann.send('bot:create', { name: 'Herald', scopes: ['send'] });
    await ann.send('bot:add', { botId: bot.id, serverId: place.serverId });
    const herald = await connectBot(app.url, token);
    expect(await send(herald, channelId)).to.include({ ok: true });
    await expectWait(herald);
    const herself = { serverId: place.serverId, userId: bot.id };
    await ann.send('member:update', { ...herself, role: 'moderator' });
    expect(await send(herald, channelId)).to.include({ ok: true });
    herald.close();
  });

  it('accepts the same message again, edits, reactions and deletions meanwhile', async () => {
    const { id, version } = await sendFirst();
    expect(await send(ben, channelId, id)).to.include({ ok: true });
    await ben.send('message:edit', { messageId: id, body: 'Hello', base: version });
    await ben.send('message:react', { messageId: id, emoji: '🍵', on: true });
    await ben.send('message:delete', { messageId: id });
    await expectWait(ben);
  });

  it('begins no wait with a message that is refused, also in the same batch', async () => {
    const [refused, sent] = await Promise.all([
      ben.ask('message:send', {
        ...{ timelineId: channelId, body: 'Look' },
        files: [{ id: v7() }],
      }),
      send(ben, channelId),
    ]);
    expect(refused).to.have.nested.property('error.code', 'invalid');
    expect(sent).to.include({ ok: true });
  });

  it('is the channel’s own, and ends with its setting', async () => {
    await sendFirst();
    const { channel } = await ann.send('channel:create', {
      serverId: place.serverId,
      name: 'quick',
    });
    for (const _ of [1, 2]) expect(await send(ben, channel.id)).to.include({ ok: true });
    await expectWait(ben);
    expect((await slow(0)).channel).not.to.have.property('slowSeconds');
    for (const _ of [1, 2]) expect(await send(ben, channelId)).to.include({ ok: true });
  });

  it('counts from the last message when it is made shorter', async () => {
    await sendFirst();
    expect((await slow(60)).channel).to.include({ slowSeconds: 60 });
    expect(await send(ben, channelId))
      .to.have.nested.property('error.retryAfterMs')
      .below(60_001);
    await query(app.db, `update slow_sends set sent_at = sent_at - interval '1 minute'`);
    await sendFirst();
  });

  it('is published to the server and noted in the audit log, once', async () => {
    await ben.send('server:open', { serverId: place.serverId });
    await slow(30);
    await ben.waitFor('changes', ({ changes }) =>
      changes.some(
        (change) => change.type === 'channel:updated' && change.channel.slowSeconds === 30,
      ),
    );
    await slow(30);
    await slow(0);
    const { entries } = await ann.send('audit:list', { serverId: place.serverId });
    const details = entries
      .filter(({ action }) => action === 'channel:slowModeSet')
      .map(({ detail, subjectId }) => [detail, subjectId]);
    expect(details).to.deep.equal(['0', '30', '3600'].map((one) => [one, channelId]));
  });

  it('forgets a send once it makes nobody wait', async () => {
    const { id: otherId } = (
      await ann.send('channel:create', { serverId: place.serverId, name: 'other' })
    ).channel;
    await ann.send('channel:update', { channelId: otherId, slowSeconds: 3_600 });
    await sendFirst();
    expect(await send(ben, otherId)).to.include({ ok: true });
    const age = `update slow_sends set sent_at = now() - $2 * interval '1 second' where timeline_id = $1`;
    await query(app.db, age, [channelId, quotas.slowSeconds + 1]);
    await query(app.db, age, [otherId, quotas.slowSeconds - 60]);
    await sweepSlowSends({ db: app.db });
    const left = await query(
      app.db,
      'select timeline_id as id from slow_sends where user_id = $1',
      [ben.id],
    );
    expect(left).to.deep.equal([{ id: otherId }]);
  });
});

describeTopologies('slow mode', (topology) => {
  it('lets each member send one message at a time, however many devices send at once', async () => {
    const [ann, ben, cleo] = await Promise.all([1, 2, 3].map(() => topology().person()));
    const { channelId } = await openPlace(ann!, ben!, cleo!);
    await ann!.send('channel:update', { channelId, slowSeconds: 3_600 });
    const devices = await Promise.all(
      [ben!, cleo!].map(async (person) => [person, await topology().elsewhere(person)]),
    );
    for (const _ of ['first', 'an hour later']) {
      const results = await Promise.all(
        devices.map((own) =>
          Promise.all(Array.from({ length: 10 }, (_, i) => send(own[i % own.length]!, channelId))),
        ),
      );
      for (const own of results) {
        expect(own.filter(({ ok }) => ok)).to.have.lengthOf(1);
        for (const one of own)
          if (!one.ok) {
            expect(one.error.code).to.equal('rate_limited');
            expect(one.error.retryAfterMs).to.be.within(hourMs - 600_000, hourMs);
          }
      }
      await query(
        topology().nodes[0].db,
        `update slow_sends set sent_at = sent_at - interval '1 hour'`,
      );
    }
    const { messages } = await ann!.send('message:list', { timelineId: channelId });
    expect(messages).to.have.lengthOf(4);
  });
});
