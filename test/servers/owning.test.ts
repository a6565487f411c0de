import { expect } from 'chai';
import { v7 } from 'uuid';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { pair } from '../support/relationships.ts';

describe('servers', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await pair(app);
  });
  after(() => app.close());

  it('are renamed by the owner, in their room and on every member’s list', async () => {
    const { serverId, server } = await openPlace(ann, ben);
    await ben.send('server:open', { serverId });
    const renamed = await ann.send('server:update', { serverId, name: 'Better' });
    for (const room of [serverRoom(serverId), userRoom(ben.id)]) {
      const { changes } = await ben.waitFor(
        'changes',
        (event) =>
          event.room === room && event.changes.some((change) => change.type === 'server:updated'),
      );
      const [change] = changes.slice(-1);
      expect(change).to.have.nested.property('server.name', 'Better');
    }
    const [mine] = (await ben.send('server:list', {})).servers.filter(({ id }) => id === serverId);
    expect(mine?.name).to.equal('Better');
    expect(mine?.version).to.equal(
      ben.received('changes').findLast(({ room }) => room === userRoom(ben.id))?.to,
    );
    expect(await ann.send('server:update', { serverId, name: 'Better' })).to.deep.equal(renamed);
    expect(await ann.send('server:update', { serverId })).to.deep.equal(renamed);
    expect(renamed.server.defaultChannelId).to.equal(server.defaultChannelId);
  });

  it('accept only their own channels as the default', async () => {
    const { serverId, channelId } = await openPlace(ann);
    const elsewhere = await openPlace(ann);
    for (const defaultChannelId of [elsewhere.channelId, v7()])
      expect(
        (await ann.expectError('server:update', { serverId, defaultChannelId })).code,
      ).to.equal('not_found');
    const { channel } = await ann.send('channel:create', { serverId, name: 'other' });
    const { server } = await ann.send('server:update', { serverId, defaultChannelId: channel.id });
    expect(server.defaultChannelId).to.equal(channel.id);
    await ann.send('channel:delete', { channelId });
  });
});
