/** Two nodes on one database that do not receive each other's messages: what the database alone keeps correct. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { clockScript } from '../chaos/place.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startNode } from '../support/node.ts';
import { connectAs, type Person } from '../support/person.ts';

describe('nodes that receive nothing from each other', () => {
  let here: TestApp;
  let there: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;

  before(async () => {
    here = await startApp();
    there = await startApp({}, here.where);
    ann = await here.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Split' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    [serverId, channelId] = [server.id, server.defaultChannelId];
    const onHere = await here.person('Ben');
    await onHere.send('server:join', { code: invite.code });
    ben = await connectAs(there.url, onHere.cookie);
    await ben.send('server:open', { serverId });
  });
  after(async () => {
    await there.close();
    await here.close();
  });

  it('detect a missed change without further traffic', async () => {
    const entry = await ben.send('channel:join', { channelId });
    const since = 'version' in entry ? entry.version : 0;
    await ann.send('message:send', { timelineId: channelId, body: 'Can you hear me?' });
    await ben.waitFor(
      'head',
      ({ room, version }) => room === `timeline:${channelId}` && version === 1,
    );
    const healed = await ben.send('channel:join', { channelId, since });
    expect(healed).to.deep.include({ status: 'changes', from: 0, version: 1 });
  });

  it('detect it even on a node whose clock was ahead and is set back', async () => {
    const node = await startNode({ settings: {}, where: here.where, preload: clockScript });
    const setClock = async () => {
      node.process.kill('SIGUSR2');
      // Real time, because a signal is not acknowledged.
      await sleep(200);
    };
    await setClock();
    const listening = await connectAs(node.url, ann.cookie);
    const { channel } = await ann.send('channel:create', { serverId, name: 'clock' });
    await listening.send('channel:join', { channelId: channel.id });
    await setClock();
    await ann.send('message:send', { timelineId: channel.id, body: 'What is the time?' });
    await listening.waitFor('head', ({ room }) => room === `timeline:${channel.id}`);
    listening.close();
    node.process.kill('SIGKILL');
  });

  it('revoke access, and deliver nothing sent afterwards', async () => {
    await ann.send('member:remove', { serverId, userId: ben.id });
    for (const lost of [`timeline:${channelId}`, `server:${serverId}`])
      await ben.waitFor('head', ({ room, version }) => room === lost && version === null);
    const received = ben.received('changes').length;
    const cem = await there.person('Cem');
    const { invite } = await ann.send('invite:create', { serverId });
    await cem.send('server:join', { code: invite.code });
    await cem.send('message:send', { timelineId: channelId, body: 'Is Ben gone?' });
    await ben.send('session:list', {});
    expect(ben.received('changes')).to.have.length(received);
  });

  it('check everyone before they deliver when the record of a revocation is gone', async () => {
    const dora = await there.person('Dora');
    const { invite } = await ann.send('invite:create', { serverId });
    await dora.send('server:join', { code: invite.code });
    await dora.send('channel:join', { channelId });
    // As after an hour of sleep: the access version counts the departure, but its details are gone.
    await query(here.db, 'delete from members where user_id = $1', [dora.id]);
    await query(here.db, 'update rooms set access_version = access_version + 1 where id = $1', [
      serverId,
    ]);
    const fay = await there.person('Fay');
    await fay.send('server:join', { code: invite.code });
    const { message } = await fay.send('message:send', {
      timelineId: channelId,
      body: 'Who is here?',
    });
    await dora.waitFor('head', ({ version }) => version === null);
    await dora.send('session:list', {});
    const received = dora
      .received('changes')
      .filter(({ room }) => room === `timeline:${channelId}`);
    expect(received.filter(({ to }) => to >= message.version)).to.deep.equal([]);
  });
});
