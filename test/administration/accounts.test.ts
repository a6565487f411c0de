import { expect } from 'chai';
import type { AccountGroup, ManagedAccount } from '../../shared/administration.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { dead, opens } from '../support/auth.ts';
import { connectAs, type Person } from '../support/person.ts';

describe('administrators', () => {
  let app: TestApp;
  let owner: Person;
  before(async () => {
    app = await startApp();
    owner = await app.owner();
  });
  after(() => app.close());

  const appoint = async (person: Person) => {
    await owner.send('account:update', { userId: person.id, administrator: true });
    return connectAs(app.url, person.cookie);
  };

  it('page through all people and find them by name or username', async () => {
    const people = [];
    for (const name of ['Zoë Ångström', 'Joe Zander', 'Marc Zoellner'])
      people.push(await app.person(name));
    const [zoe, joe] = people as [Person, Person];
    people.push(await app.guest('Zoe Guest'));
    const seen: ManagedAccount[] = [];
    for (;;) {
      const last = seen.at(-1);
      const page = { limit: 2, ...(last && { after: last.id }) };
      const { accounts, more } = await owner.send('account:list', page);
      expect(accounts.length).to.be.most(2);
      seen.push(...accounts);
      if (!more.after) break;
    }
    expect(seen.map(({ id }) => id)).to.deep.equal([owner, ...people].map(({ id }) => id));
    expect(seen[0]).to.include({ administers: 'owner', suspended: false });
    expect(seen[1]).to.include({ name: 'Zoë Ångström', username: zoe.user.username });
    expect(seen[1]).not.to.have.property('administers');
    const named = async (query: string) =>
      (await owner.send('account:list', { query })).accounts.map(({ name }) => name);
    expect(await named('zoe angs')).to.deep.equal(['Zoë Ångström']);
    expect(seen.at(-1))
      .to.include({ name: 'Zoe Guest', kind: 'guest' })
      .and.not.have.property('username');
    expect(await named('z')).to.deep.equal(people.map(({ user }) => user.name));
    expect(await named(joe.user.username ?? '')).to.include('Joe Zander');
    expect(await named('nobody at all')).to.deep.equal([]);
  });

  it('list only guests, administrators or suspended accounts, also by name', async () => {
    const [ada, ben, cem] = [
      await app.person('Quill Ada'),
      await app.person('Quill Ben'),
      await app.guest('Quill Cem'),
    ];
    await appoint(ada);
    await owner.send('account:update', { userId: ben.id, suspended: true });
    const among = async (group: AccountGroup, more: { query?: string; after?: string } = {}) =>
      (await owner.send('account:list', { group, ...more })).accounts.map(({ id }) => id);
    const query = 'quill';
    expect(await among('guests', { query })).to.deep.equal([cem.id]);
    expect(await among('administrators', { query })).to.deep.equal([ada.id]);
    expect(await among('suspended', { query })).to.deep.equal([ben.id]);
    expect(await among('administrators')).to.include.members([owner.id, ada.id]);
    expect(await among('administrators')).not.to.include(ben.id);
    expect(await among('administrators', { after: owner.id })).not.to.include(owner.id);
    expect(await among('guests'))
      .to.include(cem.id)
      .and.not.include(owner.id);
    expect(await among('suspended'))
      .to.include(ben.id)
      .and.not.include(ada.id);
  });

  it('see when an account was last seen, until it is signed out everywhere', async () => {
    const ann = await app.person('Seen Ann');
    const seen = async () => {
      const { accounts } = await owner.send('account:list', { query: 'seen ann' });
      return accounts[0]?.lastSeenAt;
    };
    expect(Date.parse((await seen()) ?? '')).to.be.closeTo(Date.now(), 3_600_000);
    await owner.send('account:signOut', { userId: ann.id });
    expect(await seen()).to.equal(undefined);
  });

  it('receive their role when they connect, and lose it at once', async () => {
    const ann = await app.person();
    expect(ann.ready).not.to.have.property('administers');
    expect(owner.ready.administers).to.equal('owner');
    const again = await appoint(ann);
    expect(again.ready.administers).to.equal('administrator');
    await again.send('account:list', {});
    await owner.send('account:update', { userId: ann.id, administrator: false });
    expect((await again.expectError('account:list', {})).code).to.equal('forbidden');
    expect((await connectAs(app.url, ann.cookie)).ready).not.to.have.property('administers');
  });

  it('are made, removed, signed out and suspended only by the owner', async () => {
    const [ann, ben] = [await appoint(await app.person()), await app.person()];
    const appointing = { userId: ben.id, administrator: true };
    expect((await ann.expectError('account:update', appointing)).code).to.equal('forbidden');
    await owner.send('account:update', appointing);
    for (const more of [{ administrator: false }, { suspended: true }]) {
      const refused = await ann.expectError('account:update', { userId: ben.id, ...more });
      expect(refused.code).to.equal('forbidden');
    }
    expect((await ann.expectError('account:signOut', { userId: ben.id })).code).to.equal(
      'forbidden',
    );
    await owner.send('account:signOut', { userId: ben.id });
    const { account } = await owner.send('account:update', { userId: ben.id, suspended: true });
    expect(account).to.include({ administers: 'administrator', suspended: true });
  });

  it('can suspend and sign out guests, but not reset their password or promote them', async () => {
    const [guest, other] = [await app.guest('Gus'), await app.guest('Gil')];
    await owner.send('account:signOut', { userId: other.id });
    expect(await opens(app.url, other.cookie)).to.deep.equal(dead);
    expect((await owner.expectError('account:reset', { userId: guest.id })).code).to.equal(
      'conflict',
    );
    const appointing = { userId: guest.id, administrator: true };
    expect((await owner.expectError('account:update', appointing)).code).to.equal('conflict');
    const { account } = await owner.send('account:update', { userId: guest.id, suspended: true });
    expect(account).to.include({ kind: 'guest', suspended: true });
    expect(await guest.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect(await opens(app.url, guest.cookie)).to.deep.equal(dead);
  });

  it('include the owner, who cannot be suspended or demoted', async () => {
    const refused = await owner.expectError('account:update', {
      userId: owner.id,
      suspended: true,
    });
    expect(refused.code).to.equal('forbidden');
    const { account } = await owner.send('account:update', {
      userId: owner.id,
      administrator: false,
    });
    expect(account.administers).to.equal('owner');
  });

  it('sign a person out on all devices', async () => {
    const ann = await app.person();
    const tab = await ann.newTab();
    await owner.send('account:signOut', { userId: ann.id });
    for (const one of [ann, tab])
      expect(await one.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect(await opens(app.url, ann.cookie)).to.deep.equal(dead);
  });

  it('leave an audit entry for each act, and none for an act that changes nothing', async () => {
    const { id: userId } = await app.person();
    await owner.send('account:reset', { userId });
    await owner.send('account:signOut', { userId });
    for (const flag of [true, true, false]) {
      await owner.send('account:update', { userId, suspended: flag });
      await owner.send('account:update', { userId, administrator: flag });
    }
    const { entries } = await owner.send('audit:list', { limit: 20 });
    const ofThem = entries.filter((entry) => entry.userId === userId).reverse();
    expect(ofThem.map(({ action }) => action)).to.deep.equal([
      'reset:created',
      'account:signedOut',
      'account:suspended',
      'administrator:added',
      'account:restored',
      'administrator:removed',
    ]);
    for (const { actorId } of ofThem) expect(actorId).to.equal(owner.id);
  });
});
