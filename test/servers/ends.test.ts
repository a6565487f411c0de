import { expect } from 'chai';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace, settled } from '../support/place.ts';
import { pair } from '../support/relationships.ts';
import { swept } from '../support/swept.ts';
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

  it('are deleted with all their contents, for everyone at once', async () => {
    const { serverId, channelId, code } = await openPlace(ann, ben);
    const tab = await ben.newTab();
    for (const socket of [ben, tab]) {
      await socket.send('server:open', { serverId });
      await socket.send('channel:join', { channelId });
    }
    await ben.send('message:send', { timelineId: channelId, body: 'Last words' });
    await ann.send('server:delete', { serverId });
    for (const socket of [ben, tab]) {
      await socket.waitFor('changes', ({ changes }) =>
        changes.some((change) => change.type === 'server:deleted' && change.serverId === serverId),
      );
      for (const room of [serverRoom(serverId), timelineRoom(channelId)])
        await socket.waitFor('head', (head) => head.room === room && head.version === null);
    }
    for (const person of [ann, ben]) {
      expect((await person.expectError('server:open', { serverId })).code).to.equal('not_found');
      expect((await person.expectError('channel:join', { channelId })).code).to.equal('not_found');
      expect((await person.expectError('server:join', { code })).code).to.equal('not_found');
      expect(await listed(person)).to.not.include(serverId);
    }
    for (const table of ['channels', 'members', 'invites', 'bans'])
      expect(await query(app.db, `select 1 from ${table} where server_id = $1`, [serverId]), table)
        .to.be.empty;
    expect(await query(app.db, 'select 1 from rooms where id in ($1, $2)', [serverId, channelId]))
      .to.be.empty;
    await swept(app);
    expect(await query(app.db, 'select 1 from messages where timeline_id = $1', [channelId])).to.be
      .empty;
    tab.close();
  });

  it('can be deleted while people write, whose commands then fail only as not found', async () => {
    const { serverId, channelId, code } = await openPlace(ann, ben);
    const cem = await app.person();
    const writing = Array.from({ length: 40 }, () =>
      ben.send('message:send', { timelineId: channelId, body: 'Still here?' }),
    );
    const outcomes = await Promise.allSettled([
      ...writing,
      cem.send('server:join', { code }),
      ann.send('channel:create', { serverId, name: 'late' }),
      ann.send('server:delete', { serverId }),
      ann.send('server:update', { serverId, name: 'Late' }),
    ]);
    const codes = outcomes.flatMap((it) =>
      it.status === 'rejected' ? [(it.reason as { code: string }).code] : [],
    );
    expect(codes.filter((one) => one !== 'not_found')).to.deep.equal([]);
    expect(await listed(cem)).to.not.include(serverId);
  });

  it('are left by members, on all their devices at once, but not by the owner', async () => {
    const { serverId, channelId, code } = await openPlace(ann, ben);
    const tab = await ben.newTab();
    await tab.send('server:open', { serverId });
    await tab.send('channel:join', { channelId });
    expect((await ann.expectError('server:leave', { serverId })).code).to.equal('conflict');
    await ann.send('server:open', { serverId });
    await ben.send('server:leave', { serverId });
    await tab.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'server:left'),
    );
    await ann.waitFor('changes', ({ changes }) =>
      changes.some((change) => change.type === 'member:left' && change.userId === ben.id),
    );
    const before = tab.received('changes').length;
    await ann.send('message:send', { timelineId: channelId, body: 'Without Ben' });
    await settled(tab);
    expect(tab.received('changes')).to.have.length(before);
    expect((await ben.expectError('server:leave', { serverId })).code).to.equal('not_found');
    await ben.send('server:join', { code });
    tab.close();
  });

  it('are read over HTTP without subscribing to a room', async () => {
    const { serverId } = await openPlace(ann);
    const response = await fetch(`${app.url}/api/servers/${serverId}`, {
      headers: { cookie: ann.cookie, origin: app.url },
    });
    expect(response.status).to.equal(200);
    expect(await response.json()).to.include({ status: 'snapshot', room: serverRoom(serverId) });
    expect(app.node.io.of('/').adapter.rooms.has(serverRoom(serverId))).to.equal(false);
  });
});
