import { expect } from 'chai';
import { endAwayGuests } from '../../server/accounts/former-guests.ts';
import { query } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { addGroups } from '../support/full.ts';
import { connectAs, type Person } from '../support/person.ts';
import { openPlace, openPlaceOfStrangers } from '../support/place.ts';
import { isRightLockAwaited, withRightLock, withTableLock } from '../support/table-lock.ts';
import { until } from '../support/time.ts';
import {
  acceptConversation,
  about,
  befriend,
  change,
  findListed,
  say,
  start,
  waitForChange,
} from './circle.ts';

const isRequest = async (who: Person, id: string) => (await findListed(who, id))?.request === true;

describe('members of a server', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
  });
  after(() => app.close());

  it('write to each other without a request, unless one of them is a guest', async () => {
    const [cem, gina] = [await app.person('Cem'), await app.guest('Gina')];
    await openPlace(ann, cem, gina);
    const { id } = await start(ann, [cem.id]);
    expect(await isRequest(cem, id)).to.equal(false);
    expect(await isRequest(gina, (await start(ann, [gina.id])).id)).to.equal(true);
    expect(await isRequest(cem, (await start(gina, [cem.id])).id)).to.equal(true);
    const group = await start(cem, [ann.id, gina.id]);
    expect(await isRequest(ann, group.id)).to.equal(false);
    expect(await isRequest(gina, group.id)).to.equal(true);
  });

  it('need a request only if all servers that they share require it', async () => {
    const [cem, dora] = [await app.person('Cem'), await app.person('Dora')];
    await openPlaceOfStrangers(ann, cem, dora);
    expect(await isRequest(cem, (await start(ann, [cem.id])).id)).to.equal(true);
    await openPlace(dora, ann);
    expect(await isRequest(dora, (await start(ann, [dora.id])).id)).to.equal(false);
  });

  it('get a request when they are added to a group that they left', async () => {
    const [cem, dora] = [await app.person('Cem'), await app.person('Dora')];
    await openPlace(ann, cem, dora);
    const { id } = await start(ann, [cem.id, dora.id]);
    await dora.send('conversation:delete', { conversationId: id });
    await change(ann, id, { addUserIds: [dora.id] });
    expect(await isRequest(dora, id)).to.equal(true);
  });

  it('see the setting, which only the owner can change', async () => {
    const cem = await app.person('Cem');
    const { serverId } = await openPlace(ann, cem);
    await cem.send('server:open', { serverId });
    const input = { serverId, messageRequests: true };
    expect((await cem.expectError('server:update', input)).code).to.equal('forbidden');
    const { server } = await ann.send('server:update', input);
    expect(server.messageRequests).to.equal(true);
    for (const room of [serverRoom(serverId), userRoom(cem.id)])
      await cem.waitFor('changes', (changes) => {
        const found = changes.changes.find(({ type }) => type === 'server:updated');
        return (
          changes.room === room &&
          found !== undefined &&
          'server' in found &&
          found.server.messageRequests === true
        );
      });
    const { server: after } = await ann.send('server:update', { serverId, messageRequests: false });
    expect(after).not.to.have.property('messageRequests');
  });

  it('do not use up a person’s conversations with pairs that have no message', async () => {
    const [cem, dora, eva] = await Promise.all(
      ['Cem', 'Dora', 'Eva'].map((one) => app.person(one)),
    );
    await openPlace(ann, cem!, dora!, eva!);
    await addGroups(app, cem!, quotas.conversationsPerPerson - 1);
    await start(ann, [cem!.id]);
    const { id } = await start(eva!, [cem!.id]);
    await say(eva!, id);
    const input = { userIds: [cem!.id] };
    expect((await dora!.expectError('conversation:create', input)).code).to.equal('conflict');
    await cem!.send('conversation:delete', { conversationId: id });
    expect(await isRequest(cem!, (await start(dora!, [cem!.id])).id)).to.equal(false);
  });

  it('can start to write to a limited number of members in a day', async () => {
    const [sender, ...people] = await Promise.all(Array.from({ length: 8 }, () => app.person()));
    await openPlace(ann, sender!, ...people);
    const strict = await startApp({ PARLEY_RATE_SCALE: '0.1', PARLEY_LOBBY: 'off' }, app.where);
    const limited = await connectAs(strict.url, sender!.cookie);
    const create = (some: Person[]) => ({ userIds: some.map(({ id }) => id) });
    await limited.send('conversation:create', create(people.slice(0, 5)));
    const { code } = await limited.expectError('conversation:create', create(people.slice(5)));
    expect(code).to.equal('rate_limited');
    limited.close();
    await strict.close();
  });

  it('can bring the same colleague into a limited number of groups in a day', async () => {
    const [sender, colleague, friend] = await Promise.all(
      ['Sender', 'Colleague', 'Friend'].map((name) => app.person(name)),
    );
    await openPlace(ann, sender!, colleague!, friend!, ben);
    await befriend(sender!, friend!);
    const strict = await startApp({ PARLEY_RATE_SCALE: '0.2', PARLEY_LOBBY: 'off' }, app.where);
    const limited = await connectAs(strict.url, sender!.cookie);
    const create = async (some: Person) =>
      limited.send('conversation:create', { userIds: [some.id, friend!.id] });
    await create(colleague!);
    await create(colleague!);
    const again = { userIds: [colleague!.id, friend!.id] };
    expect((await limited.expectError('conversation:create', again)).code).to.equal('rate_limited');
    const { conversation } = await create(ben);
    const added = { conversationId: conversation.id, addUserIds: [colleague!.id] };
    expect((await limited.expectError('conversation:update', added)).code).to.equal('rate_limited');
    await limited.send('conversation:create', { userIds: [colleague!.id] });
    limited.close();
    await strict.close();
  });

  for (const [registration, expected] of [
    ['open', true],
    ['invite', false],
  ] as const)
    it(`need ${expected ? 'a' : 'no'} request in Lobby if registration is ${registration}`, async () => {
      const here = await startApp({ PARLEY_REGISTRATION: registration });
      const owner = await here.owner();
      const [lobby] = (await owner.send('server:list', {})).servers;
      expect(lobby?.messageRequests === true).to.equal(expected);
      await here.close();
    });

  it('delay the change of the setting while one of them starts a conversation', async () => {
    const patient = await startPatientApp({ PARLEY_LOBBY: 'off' });
    const [owner, cem, dora, eva] = await Promise.all(
      ['Owner', 'Cem', 'Dora', 'Eva'].map((name) => patient.person(name)),
    );
    const { serverId } = await openPlace(owner!, cem!, dora!, eva!);
    const isWaiting = () => isRightLockAwaited(patient.db, serverId);
    const { starting, changing } = await withTableLock(
      patient.where,
      'reads',
      'share',
      async (blocked) => {
        const starting = start(cem!, [dora!.id]);
        await blocked();
        let isAnswered = false;
        const changing = owner!
          .send('server:update', { serverId, messageRequests: true })
          .then(() => (isAnswered = true));
        await until(async () => isAnswered || (await isWaiting()));
        expect(isAnswered).to.equal(false);
        return { starting, changing };
      },
    );
    const { id } = await starting;
    await changing;
    expect(await isRequest(dora!, id)).to.equal(false);
    expect(await isRequest(eva!, (await start(cem!, [eva!.id])).id)).to.equal(true);
    await patient.close();
  });

  it('rely only on a server that is locked while they start a conversation', async () => {
    const patient = await startPatientApp({ PARLEY_LOBBY: 'off' });
    const [owner, cem, dora] = await Promise.all(
      ['Owner', 'Cem', 'Dora'].map((name) => patient.person(name)),
    );
    const { serverId: first } = await openPlace(owner!, cem!, dora!);
    const { serverId: second } = await openPlace(owner!, cem!, dora!);
    const { where } = patient;
    const { starting } = await withTableLock(where, 'participants', 'share', async (inserting) => {
      const { removing, starting } = await withRightLock(where, first, async (blocked) => {
        const removing = owner!.send('member:remove', { serverId: first, userId: cem!.id });
        await blocked(1);
        const input = { userIds: [dora!.id] };
        const starting = cem!.expectError('conversation:create', input).then(({ code }) => code);
        await blocked(2);
        return { removing, starting };
      });
      await removing;
      await Promise.race([inserting(), starting]);
      await owner!.send('server:update', { serverId: second, messageRequests: true });
      return { starting };
    });
    expect(await starting).to.equal('not_found');
    expect(await isRequest(dora!, (await start(cem!, [dora!.id])).id)).to.equal(true);
    await patient.close();
  });

  describe('with a pair that has no message', () => {
    const forbidden = async (sender: Person, timelineId: string) =>
      (await sender.expectError('message:send', { timelineId, body: 'Hi' })).code === 'forbidden';
    const presenceIn = (tab: Person) =>
      (tab.ready as unknown as { presence: Record<string, string> }).presence;
    const twoWithPairs = async () => {
      const [cem, dora, eva] = await Promise.all(
        ['Cem', 'Dora', 'Eva'].map((name) => app.person(name)),
      );
      const { serverId } = await openPlace(ann, cem!, dora!, eva!);
      const [left, stays] = [await start(cem!, [eva!.id]), await start(dora!, [eva!.id])];
      return { serverId, cem: cem!, dora: dora!, eva: eva!, left: left.id, stays: stays.id };
    };

    it('can write in it only until they are removed', async () => {
      const { serverId, cem, dora, eva, left, stays } = await twoWithPairs();
      await ann.send('member:remove', { serverId, userId: cem.id });
      expect(await forbidden(cem, left)).to.equal(true);
      await say(dora, stays);
      expect(await isRequest(eva, stays)).to.equal(false);
      const [his, hers] = [await cem.newTab(), await dora.newTab()];
      expect(presenceIn(his)).not.to.have.property(eva.id);
      expect(presenceIn(hers)).to.have.property(eva.id);
      await say(eva, left);
      await say(cem, left);
    });

    it('start it as a request once the server requires one', async () => {
      const { serverId, cem, dora, eva, left, stays } = await twoWithPairs();
      await say(dora, stays);
      await ann.send('server:update', { serverId, messageRequests: true });
      await say(dora, stays);
      expect(await forbidden(cem, left)).to.equal(true);
      expect((await start(cem, [eva.id])).unanswered).to.deep.equal([eva.id]);
      await say(cem, left);
      expect(await isRequest(eva, left)).to.equal(true);
    });
  });

  const becomeFormer = async (...guests: Person[]) => {
    for (const guest of guests) await guest.send('session:logout', {});
    await query(
      app.db,
      `update users set away_since = now() - interval '31 days' where id = any($1::uuid[])`,
      [guests.map(({ id }) => id)],
    );
    await endAwayGuests(app);
  };

  describe('when they send a request', () => {
    it('see who has not answered, including people who ignore it', async () => {
      const [cem, dora, eva] = [
        await app.person('Cem'),
        await app.person('Dora'),
        await app.person('Eva'),
      ];
      await openPlaceOfStrangers(ann, eva, cem, dora);
      const { id, unanswered } = await start(ann, [eva.id, cem.id, dora.id]);
      expect(unanswered).to.have.members([eva.id, cem.id, dora.id]);
      for (const who of [eva, cem])
        expect(await findListed(who, id)).not.to.have.property('unanswered');
      const { id: pair } = await start(ann, [cem.id]);
      await say(ann, pair);
      await cem.send('conversation:delete', { conversationId: pair });
      expect((await findListed(ann, pair))?.unanswered).to.deep.equal([cem.id]);
      const changed = waitForChange(ann, about(id, 'conversation:updated'));
      await acceptConversation(cem, id);
      const update = await changed;
      expect('conversation' in update && update.conversation.unanswered).to.have.members([
        eva.id,
        dora.id,
      ]);
      await say(dora, id);
      await waitForChange(
        ann,
        (one) =>
          about(id, 'conversation:updated')(one) &&
          'conversation' in one &&
          one.conversation.unanswered?.length === 1,
      );
      expect((await findListed(ann, id))?.unanswered).to.deep.equal([eva.id]);
    });

    it('can leave the group before it is answered', async () => {
      const [cem, dora] = [await app.person('Cem'), await app.person('Dora')];
      await openPlaceOfStrangers(cem, ben, dora);
      const { id } = await start(cem, [ben.id, dora.id]);
      await cem.send('conversation:delete', { conversationId: id });
      await acceptConversation(dora, id);
      expect(await isRequest(dora, id)).to.equal(false);
    });

    it('wait no longer for a person who has become a former guest', async () => {
      const [gina, greta] = [await app.guest('Gina'), await app.guest('Greta')];
      await openPlace(ann, gina, greta);
      const pairs = [await start(ann, [gina.id]), await start(ann, [greta.id])];
      const group = await start(ann, [gina.id, greta.id]);
      await say(ann, pairs[1]!.id);
      for (const { id } of [pairs[1]!, group])
        await greta.send('conversation:delete', { conversationId: id });
      await becomeFormer(gina, greta);
      for (const { id } of [...pairs, group])
        expect(await findListed(ann, id)).not.to.have.property('unanswered');
      expect((await findListed(ann, group.id))?.participantIds).to.deep.equal([ann.id]);
    });

    it('can be former guests before it is answered', async () => {
      const gina = await app.guest('Gina');
      await openPlace(ann, gina);
      const { id } = await start(gina, [ann.id]);
      await say(gina, id);
      await becomeFormer(gina);
      await acceptConversation(ann, id);
      expect(await isRequest(ann, id)).to.equal(false);
    });
  });
});
