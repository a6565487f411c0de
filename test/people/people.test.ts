/** support/acquaintances.ts checks in every answer of the tests that `people` has each person named by the rows. */
import { expect } from 'chai';
import { z } from 'zod';
import { query } from '../../server/database/database.ts';
import { budget } from '../../server/realtime/fitting.ts';
import type { Change } from '../../shared/changes.ts';
import { PersonId } from '../../shared/contract.ts';
import { AnyEntry, type Entry } from '../../shared/entry.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { People } from '../../shared/people.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { commands } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import { commandNames } from '../../scripts/docs/shapes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addSilentMembers } from '../support/crowd.ts';
import { openAcquaintances } from '../support/acquaintances.ts';
import { openBotSocket, openPerson, type Person } from '../support/person.ts';
import { openPlace, settled } from '../support/place.ts';
import { joined } from '../support/topologies.ts';

/** Commands that answer with one row, about people that the command named or that the row named before. */
const oneRow = [
  'channel:create',
  'channel:update',
  'member:timeOut',
  'member:update',
  'ban:create',
  'ban:createMany',
  'message:send',
  'message:edit',
  'message:delete',
  'role:give',
  'role:take',
  'invite:create',
  'friendRequest:create',
  'friendRequest:update',
  'friendship:create',
  'friendship:update',
  'block:create',
  'notification:set',
];

describe('people', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  const broughtBy = (person: Person, type: Change['type']) =>
    person
      .received('changes')
      .filter(({ changes }) => changes.some((change) => change.type === type))
      .map(({ people }) => Object.keys(people).sort());

  it('are part of every answer that names people, except answers with one row', () => {
    const names = (schema: z.ZodType) => {
      const { def } = schema as unknown as { def: { shape?: Record<string, unknown> } };
      return { some: isNaming(schema), people: def.shape?.people === People };
    };
    for (const name of commandNames) {
      const { some, people } = names(commands[name].output);
      if (some && !isEntry(name)) expect(people || oneRow.includes(name), name).to.equal(true);
    }
  });

  it('are found by the schemas, and a missing person is noticed', () => {
    const Row = z.strictObject({ by: PersonId.nullable(), to: z.array(PersonId).optional() });
    expect(personIdsIn(Row)({ by: 'a', to: ['b', 'c'] })).to.deep.equal(['a', 'b', 'c']);
    expect(personIdsIn(Row)({ by: null })).to.deep.equal([]);
    const acquaintances = openAcquaintances();
    acquaintances.meet('a list', Row, { by: 'a', people: { a: {} } });
    expect(() => acquaintances.meet('a list', Row, { by: 'b', people: { a: {} } })).to.throw(
      'a list names people',
    );
  });

  it('come with each change of a private channel, for all its members', async () => {
    const [ann, ben, cem] = await Promise.all(
      ['Ann', 'Ben', 'Cem'].map((name) => app.person(name)),
    );
    const { serverId } = await openPlace(ann!, ben!, cem!);
    const secret = { serverId, name: 'secret', private: true, userIds: [ben!.id] };
    const { channel } = await ann!.send('channel:create', secret);
    await ann!.send('channel:addMember', { channelId: channel.id, userId: cem!.id });
    await ann!.send('channel:update', { channelId: channel.id, name: 'hush' });
    await Promise.all([ann!, ben!, cem!].map(settled));
    const [two, three] = [[ann!.id, ben!.id].sort(), [ann!.id, ben!.id, cem!.id].sort()];
    expect(broughtBy(ben!, 'privateChannel:joined')).to.deep.equal([two]);
    expect(broughtBy(cem!, 'privateChannel:joined')).to.deep.equal([three]);
    expect(broughtBy(ben!, 'privateChannel:updated')).to.deep.equal([three, three]);
    const { ready } = await ben!.newTab();
    expect(Object.keys('people' in ready ? ready.people : {}).sort()).to.deep.equal(three);
  });

  it('come with a rename by another node, as with every change', async () => {
    const topology = await joined();
    try {
      const [ann, ben] = [await topology.person('Ann'), await topology.person('Ben')];
      expect(ben.url).to.not.equal(ann.url);
      const { serverId } = await openPlace(ann, ben);
      const secret = { serverId, name: 'secret', private: true, userIds: [ben.id] };
      const { channel } = await ann.send('channel:create', secret);
      await ann.send('channel:update', { channelId: channel.id, name: 'hush' });
      await ben.waitFor('changes', ({ changes }) =>
        changes.some(({ type }) => type === 'privateChannel:updated'),
      );
      const both = [ann.id, ben.id].sort();
      expect(broughtBy(ben, 'privateChannel:updated')).to.deep.equal([both]);
    } finally {
      await topology.close();
    }
  });

  it('come with each part of a room, however small', async () => {
    const { partBytes } = budget;
    const [ann, ben, cem] = await Promise.all(
      ['Ann', 'Ben', 'Cem'].map((name) => app.person(name)),
    );
    const { serverId } = await openPlace(ann!, ben!, cem!);
    const secret = { serverId, private: true, userIds: [ben!.id, cem!.id] };
    for (const name of ['one', 'two']) await ann!.send('channel:create', { ...secret, name });
    const { channel } = await ann!.send('channel:create', { serverId, name: 'open' });
    await ben!.send('sidebar:place', { list: 'favourites', targetId: channel.id });
    await ben!.send('sidebar:place', { list: 'servers', targetId: serverId });
    budget.partBytes = 1;
    try {
      const tab = await ben!.newTab();
      const parts: Entry[] = [tab.ready];
      for (let part: Entry = tab.ready; part.status === 'snapshot' && part.more !== undefined;) {
        const { room, version, more }: { room: Room; version: number; more?: string } = part;
        const rest = {
          epoch: tab.ready.epoch,
          rooms: { [room]: version },
          after: { [room]: more },
        };
        part = (await tab.send('sync', rest)).rooms[0] as Entry;
        parts.push(part);
      }
      tab.close();
      const named = parts.map((part) => {
        const { people } = part as { people: People };
        const ids = new Set(personIdsIn(AnyEntry)(part));
        ids.delete(ben!.id);
        return { ids: [...ids].sort(), unknown: [...ids].filter((id) => !(id in people)) };
      });
      expect(named.filter(({ ids }) => ids.length === 2)).to.have.length(2);
      expect(named.flatMap(({ unknown }) => unknown)).to.deep.equal([]);
    } finally {
      budget.partBytes = partBytes;
    }
  });

  it('come with invites, and include the owner of a connecting bot', async () => {
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { serverId } = await openPlace(ann, ben);
    await ben.send('invite:create', { serverId });
    const { people } = await ann.send('invite:list', { serverId });
    expect(Object.values(people).map(({ name }) => name)).to.have.members(['Ann', 'Ben']);
    const { token } = await ann.send('bot:create', { name: 'Echo' });
    const { ready } = await openPerson(openBotSocket(app.url, token), app.url, '');
    expect('people' in ready && ready.people[ann.id]?.name).to.equal('Ann');
  });

  it('fit an answer and a change, even for a full private channel with the longest names', async () => {
    const ann = await app.person('Ann');
    const { serverId } = await openPlace(ann);
    await addSilentMembers(app, serverId, quotas.channelMembers - 1);
    await query(app.db, `update users set display_name = repeat('𝕬', 64) where kind = 'guest'`);
    const everyone = await query<{ id: string }>(
      app.db,
      'select user_id as id from members where server_id = $1 and user_id <> $2',
      [serverId, ann.id],
    );
    const userIds = everyone.map(({ id }) => id);
    const { channel } = await ann.send('channel:create', {
      serverId,
      name: 'all',
      private: true,
      userIds,
    });
    await settled(ann);
    for (const event of ann.received('changes'))
      expect(bytesOf(event)).to.be.below(limits.answerBytes);
    const tab = await ann.newTab();
    tab.close();
    const { ready } = tab;
    if (ready.status !== 'snapshot' || ready.more === undefined) throw new Error('it came whole');
    expect(bytesOf(ready)).to.be.below(limits.answerBytes);
    const { room, version, more } = ready;
    const rest = { epoch: ready.epoch, rooms: { [room]: version }, after: { [room]: more } };
    const answer = await ann.send('sync', rest);
    expect(bytesOf(answer)).to.be.within(100_000, limits.answerBytes);
    expect(JSON.stringify(answer)).to.include('"memberIds"');
    await ann.send('channel:update', { channelId: channel.id, name: 'hall' });
    await settled(ann);
    expect(broughtBy(ann, 'privateChannel:updated').at(-1)).to.deep.equal([]);
  });
});

const isEntry = (name: string) =>
  ['server:open', 'channel:join', 'conversation:open', 'sync'].includes(name);

const isNaming = (schema: z.ZodType): boolean => {
  if (schema === PersonId) return true;
  const { def } = schema as unknown as {
    def: {
      shape?: Record<string, z.ZodType>;
      element?: z.ZodType;
      innerType?: z.ZodType;
      options?: z.ZodType[];
    };
  };
  // Ignores `ownerId`: the owner of a single person object (the caller, or a search result) needs no entry.
  const { ownerId: _whose, ...fields } = def.shape ?? {};
  return [...Object.values(fields), def.element, def.innerType, ...(def.options ?? [])].some(
    (part) => part !== undefined && part !== People && isNaming(part),
  );
};

const bytesOf = (event: unknown) => Buffer.byteLength(JSON.stringify(event));
