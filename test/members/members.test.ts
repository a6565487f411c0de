import { expect } from 'chai';
import { v7 } from 'uuid';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openServerWithRoles } from './server-with-roles.ts';

describe('members', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  it('are announced to the server when they join, with their name and presence', async () => {
    const { ben, serverId, code } = await openServerWithRoles(app);
    const cem = await app.person('Cem');
    await ben.send('server:open', { serverId });
    await cem.send('server:join', { code });
    const received = await ben.waitFor(
      'changes',
      ({ room, changes }) =>
        room === serverRoom(serverId) && changes.some(({ type }) => type === 'member:joined'),
    );
    const [change] = received.changes;
    expect(change).to.have.nested.property('member.userId', cem.id);
    expect(change).to.have.nested.property('member.role', 'member');
    expect(received.people[cem.id]?.name).to.equal('Cem');
    await ben.waitFor(
      'presence',
      ({ room, users }) => room === serverRoom(serverId) && users[cem.id] === 'online',
    );
    await cem.waitFor(
      'changes',
      ({ room, changes }) => room === userRoom(cem.id) && changes[0]?.type === 'server:joined',
    );
  });

  it('are listed by id, one page at a time, with their presence', async () => {
    const { ann, mod, ben, guest, serverId } = await openServerWithRoles(app);
    const everyone = [ann, mod, ben, guest].map(({ id }) => id).sort();
    const first = await ben.send('member:list', { serverId, limit: 3 });
    const second = await ben.send('member:list', {
      serverId,
      limit: 3,
      after: first.members[2]?.userId,
    });
    expect([...first.members, ...second.members].map(({ userId }) => userId)).to.deep.equal(
      everyone,
    );
    expect([first.more.after, second.more.after]).to.deep.equal([true, false]);
    expect(Object.keys(first.people).sort()).to.deep.equal(everyone.slice(0, 3));
    expect(first.presence).to.deep.equal(
      Object.fromEntries(everyone.slice(0, 3).map((id) => [id, 'online'])),
    );
    expect((await ben.send('member:list', { serverId, limit: 4 })).more.after).to.equal(false);
  });

  it('set their own nickname, and those of members they outrank', async () => {
    const { ann, mod, ben, guest, targetOf } = await openServerWithRoles(app);
    const cases: [Person, Person, 'may' | 'forbidden'][] = [
      [ben, ben, 'may'],
      [guest, guest, 'may'],
      [mod, mod, 'may'],
      [ann, ann, 'may'],
      [mod, ben, 'may'],
      [mod, guest, 'may'],
      [ann, mod, 'may'],
      [ben, guest, 'forbidden'],
      [mod, ann, 'forbidden'],
      [ben, mod, 'forbidden'],
    ];
    for (const [i, [who, on, outcome]] of cases.entries()) {
      const input = { ...targetOf(on), nickname: `Nick ${i}` };
      if (outcome === 'may')
        expect((await who.send('member:update', input)).member.nickname).to.equal(input.nickname);
      else expect((await who.expectError('member:update', input)).code, `${i}`).to.equal(outcome);
    }
    const cleared = await ben.send('member:update', { ...targetOf(ben), nickname: null });
    expect(cleared.member.nickname).to.equal(null);
    expect(await ben.send('member:update', { ...targetOf(ben), nickname: null })).to.deep.equal(
      cleared,
    );
    expect(await mod.send('member:update', targetOf(ben))).to.deep.equal(cleared);
    expect(
      (await mod.expectError('member:update', { ...targetOf({ id: v7() }), nickname: 'x' })).code,
    ).to.equal('not_found');
  });

  it('get their roles from the owner alone; guests and the owner keep theirs', async () => {
    const { ann, mod, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
    const set = (person: Person, role: 'moderator' | 'member') => ({ ...targetOf(person), role });
    for (const who of [mod, ben, guest])
      for (const on of [ben, mod, ann, who])
        expect((await who.expectError('member:update', set(on, 'member'))).code).to.equal(
          'forbidden',
        );
    expect((await ann.expectError('member:update', set(guest, 'moderator'))).code).to.equal(
      'conflict',
    );
    expect((await ann.expectError('member:update', set(ann, 'moderator'))).code).to.equal(
      'conflict',
    );
    expect((await ann.send('member:update', set(ben, 'moderator'))).member.role).to.equal(
      'moderator',
    );
    expect(
      (await mod.expectError('member:update', { ...targetOf(ben), nickname: 'x' })).code,
    ).to.equal('forbidden');
    expect((await mod.expectError('member:remove', targetOf(ben))).code).to.equal('forbidden');
    expect((await ann.send('member:update', set(ben, 'member'))).member.role).to.equal('member');
    expect((await ben.expectError('channel:create', { serverId, name: 'mine' })).code).to.equal(
      'forbidden',
    );
    expect(
      (await ann.expectError('member:update', { ...set(ben, 'member'), role: 'owner' as never }))
        .code,
    ).to.equal('invalid');
  });
});
