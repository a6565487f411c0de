import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAs } from '../support/person.ts';

describe('a username', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('is sent with the name in changes and lists, and distinguishes people with the same name', async () => {
    const [ann, other, guest] = [
      await app.person('Ann'),
      await app.person('Ann'),
      await app.guest('Ann'),
    ];
    const [lobby] = (await ann.send('server:list', {})).servers;
    const timelineId = lobby?.defaultChannelId ?? '';
    await ann.send('channel:join', { channelId: timelineId });
    for (const author of [other, guest]) {
      await author.send('message:send', { timelineId, body: 'Hello' });
      const { people } = await ann.waitFor('changes', ({ people }) => author.id in people);
      expect(people[author.id]?.username).to.equal(author.user.username ?? undefined);
    }
    const { people } = await ann.send('message:list', { timelineId });
    const { people: members } = await ann.send('member:list', { serverId: lobby?.id ?? '' });
    for (const known of [people, members]) {
      expect(known[other.id]).to.deep.equal(other.user);
      expect(known[guest.id]).to.deep.equal({ id: guest.id, name: 'Ann', kind: 'guest', rev: 1 });
    }
    expect(other.user.username).to.be.a('string').and.not.equal(ann.user.username);
  });
});

describe('a name with lookalike letters', () => {
  it('is sent with its skeleton, as a nickname too', async () => {
    const app = await startApp();
    const [ann, guest] = [await app.person('Alice'), await app.guest('Аӏісе')];
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    const listed = () => ann.send('member:list', { serverId });
    const { people } = await listed();
    expect(people[guest.id]).to.include({ name: 'Аӏісе', skeleton: 'Aiice' });
    expect(people[ann.id]).to.not.have.property('skeleton');
    await ann.send('member:update', { serverId, userId: ann.id, nickname: 'Роре' });
    const { members } = await listed();
    expect(members.find(({ userId }) => userId === ann.id)?.skeleton).to.equal('Pope');
    expect(members.find(({ userId }) => userId === guest.id)).to.not.have.property('skeleton');
    await app.close();
  });
});

describe('a new name', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('reaches the user’s devices, members of shared servers, and nobody else', async () => {
    const [ann, ben, stranger] = [
      await app.person('Ann'),
      await app.person('Ben'),
      await app.person('Cleo'),
    ];
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    await stranger.send('server:leave', { serverId });
    for (const person of [ann, ben]) await person.send('server:open', { serverId });
    const phone = await connectAs(app.url, ann.cookie);
    const { user } = await ann.send('user:update', { displayName: 'Anna' });
    expect(user).to.deep.equal({ ...ann.user, name: 'Anna', rev: 2 });
    for (const listener of [ben, phone])
      expect((await listener.waitFor('people')).people).to.deep.equal({
        [ann.user.id]: { ...ann.user, name: 'Anna', rev: 2 },
      });
    expect(stranger.received('people')).to.deep.equal([]);
  });

  it('is sent with the next message from any device, and is kept after reconnecting', async () => {
    const [dora, emil] = [await app.person('Dora'), await app.person('Emil')];
    const phone = await connectAs(app.url, dora.cookie);
    const [lobby] = (await dora.send('server:list', {})).servers;
    const timelineId = lobby?.defaultChannelId ?? '';
    await emil.send('channel:join', { channelId: timelineId });
    await dora.send('user:update', { displayName: 'Dora the First' });
    await phone.waitFor('people');
    await phone.send('message:send', { timelineId, body: 'Hello' });
    const { people } = await emil.waitFor(
      'changes',
      ({ room }) => room === `timeline:${timelineId}`,
    );
    expect(people[dora.user.id]).to.include({ name: 'Dora the First', rev: 2 });
    expect((await connectAs(app.url, dora.cookie)).user.name).to.equal('Dora the First');
  });

  it('changes nothing when it equals the old one, and is refused when it is invalid', async () => {
    const ann = await app.person('Ann');
    expect((await ann.send('user:update', { displayName: 'Ann' })).user.rev).to.equal(1);
    expect((await ann.send('user:update', {})).user.rev).to.equal(1);
    for (const displayName of ['', '   ', 'x'.repeat(65), 'a\u202eb', 'a\u200bb'])
      expect(await ann.expectError('user:update', { displayName })).to.include({
        code: 'invalid',
        field: 'displayName',
      });
  });
});
