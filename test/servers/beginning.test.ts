import { expect } from 'chai';
import { v7 } from 'uuid';
import { quotas } from '../../shared/quotas.ts';
import { userRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { pair } from '../support/relationships.ts';
import { listed } from './listed.ts';

describe('servers', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await pair(app);
  });
  after(() => app.close());

  it('begin with one channel, the default one, and their creator as owner', async () => {
    const tab = await ann.newTab();
    const { server } = await ann.send('server:create', { name: 'Grün' });
    const received = await tab.waitFor('changes', ({ changes }) =>
      changes.some((change) => change.type === 'server:joined' && change.server.id === server.id),
    );
    expect(received).to.deep.include({
      room: userRoom(ann.id),
      changes: [{ type: 'server:joined', version: received.to, server }],
    });
    const entry = await ann.send('server:open', { serverId: server.id });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    expect(entry.state.servers).to.deep.equal([
      { ...server, version: entry.state.servers[0]?.version },
    ]);
    expect(entry.state.channels.map(({ id, name }) => ({ id, name }))).to.deep.equal([
      { id: server.defaultChannelId, name: 'general' },
    ]);
    expect(entry.state.members.map(({ userId, role }) => ({ userId, role }))).to.deep.equal([
      { userId: ann.id, role: 'owner' },
    ]);
    expect(entry.presence).to.deep.equal({ [ann.id]: 'online' });
    expect(entry.people).to.have.all.keys(ann.id);
    tab.close();
  });

  it('are created once when requested twenty times at once under one id', async () => {
    const id = v7();
    const acks = await Promise.all(
      Array.from({ length: 20 }, () => ann.send('server:create', { name: 'Once', id })),
    );
    expect(new Set(acks.map(({ server }) => JSON.stringify(server))).size).to.equal(1);
    expect(
      await query(app.db, 'select id from channels where server_id = $1', [id]),
    ).to.have.length(1);
    expect((await listed(ann)).filter((other) => other === id)).to.have.length(1);
  });

  it('cannot take an id that is in use', async () => {
    const { serverId, channelId } = await openPlace(ann, ben);
    for (const id of [serverId, channelId, ann.id])
      expect((await ben.expectError('server:create', { name: 'Mine', id })).code).to.equal(
        'conflict',
      );
    expect((await ann.send('server:create', { name: 'Place', id: serverId })).server.id).to.equal(
      serverId,
    );
  });

  it('are created once when two people use one id at once, and one gets a conflict', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = v7();
      const outcomes = await Promise.allSettled(
        [ann, ben].map((person) => person.send('server:create', { name: 'Raced', id })),
      );
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.map(({ reason }) => (reason as { code: string }).code)).to.deep.equal([
        'conflict',
      ]);
    }
  });

  it('are limited for each person, whether created or joined', async () => {
    const [cem, dot] = await Promise.all([app.person(), app.person()]);
    const { code } = await openPlace(ann);
    for (let i = 1; i < quotas.serversPerPerson; i += 1)
      await cem.send('server:create', { name: `${i}` });
    const last = await Promise.allSettled(
      Array.from({ length: 5 }, () => cem.send('server:create', { name: 'the last' })),
    );
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect((await cem.expectError('server:join', { code })).code).to.equal('conflict');
    await dot.send('server:join', { code });
  });
});
