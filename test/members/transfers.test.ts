import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { sweepTransfers } from '../../server/transfers/transfers.ts';
import type { Transfer } from '../../shared/transfers.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { handOver, openPlace, settled } from '../support/place.ts';
import { waitForChange, receivedTypes, pair } from '../support/relationships.ts';

describe('transfers', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben] = await pair(app);
    ({ serverId } = await openPlace(ann, ben));
  });
  after(() => app.close());

  const offer = (to = ben) => ann.send('server:transfer', { serverId, userId: to.id });
  const accept = (who = ben) => who.send('server:acceptTransfer', { serverId });
  const decline = (who = ben) => who.send('server:declineTransfer', { serverId });
  const join = async (...people: Person[]) => {
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    for (const person of people) await person.send('server:join', { code });
  };

  const rolesOf = async (reader: Person, ...people: Person[]) => {
    const { members } = await reader.send('member:list', { serverId });
    return people.map(({ id }) => members.find(({ userId }) => userId === id)?.role);
  };
  async function heldBy(person: Person): Promise<Transfer[]> {
    const tab = await person.newTab();
    tab.close();
    return 'state' in tab.ready ? tab.ready.state.transfers : [];
  }
  const offersOf = async (...people: Person[]) =>
    (await Promise.all(people.map(heldBy))).map(({ length }) => length);

  it('change nothing until accepted; then the former owner stays as a moderator', async () => {
    await offer();
    for (const person of [ann, ben]) {
      const { people, changes } = await waitForChange(person, 'transfer:created');
      expect([people[ann.id]?.name, people[ben.id]?.name]).to.deep.equal(['Ann', 'Ben']);
      const [held] = await heldBy(person);
      expect(held).to.include({ serverId, fromId: ann.id, toId: ben.id });
      expect(changes.map((change) => 'transfer' in change && change.transfer)).to.deep.equal([
        held,
      ]);
    }
    expect(await rolesOf(ann, ann, ben)).to.deep.equal(['owner', 'member']);
    expect((await ben.expectError('server:delete', { serverId })).code).to.equal('forbidden');
    await ann.send('server:update', { serverId, name: 'Still mine' });

    await accept();
    expect(await rolesOf(ann, ann, ben)).to.deep.equal(['moderator', 'owner']);
    expect(await offersOf(ann, ben)).to.deep.equal([0, 0]);
    // The request can be repeated, because the first answer can be lost.
    await accept();
    expect((await ann.expectError('server:delete', { serverId })).code).to.equal('forbidden');
    await ann.send('server:leave', { serverId });
    await ben.send('server:delete', { serverId });
  });

  it('are visible only to the owner and the recipient', async () => {
    const mod = await app.person();
    await join(mod);
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
    await offer();
    expect((await mod.expectError('server:acceptTransfer', { serverId })).code).to.equal(
      'not_found',
    );
    expect((await mod.expectError('server:declineTransfer', { serverId })).code).to.equal(
      'not_found',
    );
    expect(await heldBy(mod)).to.deep.equal([]);
    await settled(mod);
    expect(receivedTypes(mod)).to.not.include('transfer:created');
    // The owner cannot accept in place of the recipient.
    await accept(ann);
    expect(await rolesOf(ann, ann, ben)).to.deep.equal(['owner', 'member']);
    await accept();
  });

  it('are declined, withdrawn, and may be offered again', async () => {
    await offer();
    await decline();
    expect(await offersOf(ann, ben)).to.deep.equal([0, 0]);
    expect((await ben.expectError('server:acceptTransfer', { serverId })).code).to.equal(
      'not_found',
    );
    expect((await ben.expectError('server:declineTransfer', { serverId })).code).to.equal(
      'not_found',
    );
    await offer();
    await decline(ann);
    expect((await ben.expectError('server:acceptTransfer', { serverId })).code).to.equal(
      'not_found',
    );
    await offer();
    await accept();
    expect(await rolesOf(ben, ann, ben)).to.deep.equal(['moderator', 'owner']);
  });

  it('are offered to one registered member at a time, without a block in between', async () => {
    const [guest, cem, stranger] = [await app.guest(), await app.person(), await app.person()];
    await join(guest, cem);
    const { bot } = await ann.send('bot:create', { name: 'Echo' });
    await ann.send('bot:add', { serverId, botId: bot.id });
    const refused = async (userId: string) =>
      (await ann.expectError('server:transfer', { serverId, userId })).code;
    expect((await ben.expectError('server:transfer', { serverId, userId: ben.id })).code).to.equal(
      'forbidden',
    );
    for (const userId of [guest.id, bot.id, ann.id])
      expect(await refused(userId)).to.equal('conflict');
    expect(await refused(stranger.id)).to.equal('not_found');
    await cem.send('block:create', { userId: ann.id });
    expect(await refused(cem.id)).to.equal('not_found');
    await cem.send('block:delete', { userId: ann.id });

    await offer();
    const [first] = await heldBy(ben);
    await offer();
    expect(await heldBy(ben), 'the same again changes nothing').to.deep.equal([first]);
    expect(await refused(cem.id)).to.equal('conflict');
    await decline(ann);
    await offer(cem);
    expect(await offersOf(ben, cem)).to.deep.equal([0, 1]);
  });

  for (const [how, end] of Object.entries<() => Promise<unknown>>({
    'the other leaves': () => ben.send('server:leave', { serverId }),
    'the other is removed': () => ann.send('member:remove', { serverId, userId: ben.id }),
    'the other is banned': () => ann.send('ban:create', { serverId, userId: ben.id }),
    'the other blocks the owner': () => ben.send('block:create', { userId: ann.id }),
    'the owner blocks the other': () => ann.send('block:create', { userId: ben.id }),
    'the server is deleted': () => ann.send('server:delete', { serverId }),
  }))
    it(`end when ${how}, and do not come back`, async () => {
      await offer();
      await end();
      for (const person of [ann, ben]) await waitForChange(person, 'transfer:deleted');
      expect(await offersOf(ann, ben)).to.deep.equal([0, 0]);
      if (how.startsWith('the server')) return;
      await ann.send('ban:delete', { serverId, userId: ben.id }).catch(() => undefined);
      await join(ben);
      expect((await ben.expectError('server:acceptTransfer', { serverId })).code).to.equal(
        'not_found',
      );
      expect(await rolesOf(ann, ann)).to.deep.equal(['owner']);
    });

  it('stay when another member leaves', async () => {
    const cem = await app.person();
    await join(cem);
    await offer();
    await cem.send('server:leave', { serverId });
    expect(await offersOf(ann, ben)).to.deep.equal([1, 1]);
    await accept();
  });

  it('end by themselves after seven days, and both receive the end', async () => {
    const other = await openPlace(ann, ben);
    await offer();
    await ann.send('server:transfer', { serverId: other.serverId, userId: ben.id });
    const age = (days: number) =>
      query(
        app.db,
        `update transfers set created_at = now() - $2 * interval '1 day' where server_id = $1`,
        [serverId, days],
      );
    await age(6.9);
    await sweepTransfers(app);
    expect(await offersOf(ann, ben)).to.deep.equal([2, 2]);
    await age(7.1);
    await sweepTransfers(app);
    for (const person of [ann, ben]) {
      const { changes } = await waitForChange(person, 'transfer:deleted');
      expect(changes[0]).to.include({ serverId });
      expect((await heldBy(person)).map((held) => held.serverId)).to.deep.equal([other.serverId]);
    }
    expect((await ben.expectError('server:acceptTransfer', { serverId })).code).to.equal(
      'not_found',
    );
  });

  it('leave one owner after any simultaneous offers, answers and departures', async () => {
    const cem = await app.person();
    await join(cem);
    for (let round = 0; round < 10; round += 1) {
      await Promise.allSettled([offer(), offer(cem)]);
      expect((await offersOf(ben, cem)).reduce((sum, one) => sum + one)).to.equal(1);
      const outcomes = await Promise.allSettled([
        accept(),
        accept(cem),
        decline(ann),
        ben.send('server:leave', { serverId }),
      ]);
      const [byBen, byCem, withdrawn] = outcomes.map(({ status }) => status === 'fulfilled');
      expect([byBen, byCem, withdrawn].filter(Boolean)).to.have.length.at.most(1);
      const owners = await query<{ id: string }>(
        app.db,
        `select user_id as id from members where server_id = $1 and role = 'owner'`,
        [serverId],
      );
      expect(owners).to.have.length(1);
      const now = [ann, ben, cem].find(({ id }) => id === owners[0]?.id)!;
      expect(await offersOf(ann, ben, cem)).to.deep.equal([0, 0, 0]);
      if (now !== ann) await handOver(serverId, now, ann);
      await join(ben);
    }
  });

  it('leave audit entries of the offer and of its acceptance', async () => {
    await offer();
    await offer();
    await accept();
    const { entries } = await ben.send('audit:list', { serverId, limit: 2 });
    expect(entries.map(({ action, actorId, userId }) => [action, actorId, userId])).to.deep.equal([
      ['server:transferred', ben.id, ann.id],
      ['server:offered', ann.id, ben.id],
    ]);
  });

  it('show the current name of the other person, in a large server too', async () => {
    const large = await startApp({ PARLEY_LOBBY: 'off', PARLEY_LARGE_SERVER: '2' });
    const [owner, member, extra] = [
      await large.person('Ann'),
      await large.person('Ben'),
      await large.person(),
    ];
    const place = await openPlace(owner, extra, member);
    await owner.send('server:transfer', { serverId: place.serverId, userId: member.id });
    await member.send('user:update', { displayName: 'Benjamin' });
    await owner.waitFor('people', ({ people }) => people[member.id]?.name === 'Benjamin');
    // The departure of a member, of which nobody else there is notified, still ends the transfer.
    await member.send('server:leave', { serverId: place.serverId });
    await waitForChange(owner, 'transfer:deleted');
    await large.close();
  });
});

describe('transfers, at the rates of an ordinary node', () => {
  it('are offered to the same person at most ten times a day, even when declined', async () => {
    const app = await startStrictApp({ PARLEY_LOBBY: 'off' });
    const [ann, ben] = await pair(app);
    const { serverId } = await openPlace(ann, ben);
    const offer = { serverId, userId: ben.id };
    for (let round = 0; round < 10; round += 1) {
      await ann.send('server:transfer', offer);
      await ann.send('server:transfer', offer);
      await ben.send('server:declineTransfer', { serverId });
    }
    expect((await ann.expectError('server:transfer', offer)).code).to.equal('rate_limited');
    await app.close();
  });
});
