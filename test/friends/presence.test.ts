import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { enterAs, type Person } from '../support/person.ts';
import { ask, befriend, pair } from '../support/relationships.ts';

describe('friends: their presence', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  async function apart() {
    const [ann, ben] = await pair(app);
    for (const person of [ann, ben])
      for (const { id } of (await person.send('server:list', {})).servers)
        await person.send('server:leave', { serverId: id });
    return [ann, ben] as const;
  }
  const saw = (person: Person, { id }: Person, status: string) =>
    person.waitFor('presence', ({ room, users }) => {
      return room === `user:${person.id}` && users[id] === status;
    });
  const signOut = (person: Person) => person.send('session:logout', {});

  it('is sent when they become friends, when one signs out, and on connecting', async () => {
    const [ann, ben] = await apart();
    await befriend(ann, ben);
    await saw(ann, ben, 'online');
    await saw(ben, ann, 'online');
    const { ready } = await ann.newTab();
    expect(ready)
      .to.have.property('presence')
      .that.deep.equals({ [ben.id]: 'online' });
    expect((await ann.send('friendship:list', {})).presence).to.deep.equal({
      [ben.id]: 'online',
    });
    await signOut(ben);
    await saw(ann, ben, 'offline');
    expect((await ann.newTab()).ready)
      .to.have.property('presence')
      .that.deep.equals({});
  });

  it('follows a friend who comes online later', async () => {
    const [ann, ben] = await apart();
    await befriend(ann, ben);
    const password = `the password of ${ben.user.username}`;
    await signOut(ben);
    await saw(ann, ben, 'offline');
    const before = ann.received('presence').length;
    await enterAs(app.url, 'login', { username: ben.user.username, password });
    await ann.waitFor('presence', (presence) => {
      const isNew = ann.received('presence').indexOf(presence) >= before;
      return isNew && presence.users[ben.id] === 'online';
    });
  });

  it('is sent neither after a mere request nor after the friendship has ended', async () => {
    const [ann, ben] = await apart();
    await ask(ann, ben);
    await signOut(ben);
    const [cem, dan] = await apart();
    const { id: friendshipId } = await befriend(cem, dan);
    await saw(cem, dan, 'online');
    await cem.send('friendship:delete', { friendshipId });
    await signOut(dan);
    const eve = await app.person();
    await befriend(ann, eve);
    await befriend(cem, eve);
    app.pass(1_000);
    await saw(ann, eve, 'online');
    await saw(cem, eve, 'online');
    await signOut(eve);
    app.pass(1_000);
    await saw(ann, eve, 'offline');
    await saw(cem, eve, 'offline');
    expect(ann.received('presence').some(({ users }) => ben.id in users)).to.equal(false);
    const ends = cem.received('presence').filter(({ users }) => users[dan.id] === 'offline');
    expect(ends).to.deep.equal([]);
    expect((await cem.newTab()).ready)
      .to.have.property('presence')
      .that.deep.equals({});
  });
});
