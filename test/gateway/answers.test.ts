import { connect } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Failure } from '../../shared/failure.ts';
import { startApp } from '../support/app.ts';
import { until } from '../support/time.ts';
import { openGatewayFixture, type GatewayFixture } from './fixture.ts';

describe('the gateway', () => {
  let house: GatewayFixture;
  before(async () => void (house = await openGatewayFixture()));
  after(() => house.app.close());

  it('forbids what a member may not do', async () => {
    const { app, ben, serverId, channelId, refuses, say } = house;
    const messageId = await say('Ann’s own');
    const path = { serverId, channelId, messageId };
    for (const command of ['server:update', 'channel:create', 'channel:update'] as const)
      await refuses('forbidden', command, { path, body: { name: 'Ben was here' }, as: ben });
    await refuses('forbidden', 'message:edit', { path, body: { body: 'Ben’s' }, as: ben });
    for (const command of ['server:delete', 'channel:delete', 'message:delete'] as const)
      await refuses('forbidden', command, { path, as: ben });
    await refuses('forbidden', 'server:create', { body: { name: 'Mine' }, as: await app.guest() });
  });

  it('answers `conflict` to commands that the present state does not allow', async () => {
    const { ann, ben, serverId, channelId, refuses, say } = house;
    const messageId = await say('soon gone');
    await ann.send('message:delete', { messageId });
    await refuses('conflict', 'message:edit', {
      path: { messageId },
      body: { body: 'x' },
      as: ann,
    });
    await refuses('conflict', 'channel:delete', { path: { channelId }, as: ann });
    const taken = await say('taken');
    const again = { timelineId: channelId, body: 'taken', id: taken };
    await refuses('conflict', 'message:send', { body: again, as: ben });
    await refuses('conflict', 'server:create', {
      body: { name: 'x', id: taken.replace(/^./, '0') && serverId },
      as: ben,
    });
  });

  it('a message sent by HTTP reaches the sockets in its channel', async () => {
    const { ann, ben, channelId, ask } = house;
    await ben.send('channel:join', { channelId });
    const { value } = await ask('message:send', {
      body: { timelineId: channelId, body: 'Hear, hear' },
      as: ann,
    });
    const { id } = value.message as { id: string };
    await ben.waitFor('changes', ({ changes }) =>
      changes.some((change) => 'message' in change && change.message.id === id),
    );
  });

  it('opening a server by HTTP enters no room and makes nobody online', async () => {
    const { app, ann, serverId, ask } = house;
    const dora = await app.person('Dora');
    const { invite } = await ann.send('invite:create', { serverId });
    await dora.send('server:join', { code: invite.code });
    const { sockets } = app.node.io.of('/');
    const hers = dora.socket.id ?? '';
    dora.close();
    await until(() => !sockets.has(hers));
    const open = sockets.size;
    const room = `server:${serverId}`;
    const inRoom = () => [...(app.node.io.of('/').adapter.rooms.get(room) ?? [])];
    const before = inRoom();
    const { value } = await ask('server:open', { path: { serverId }, as: dora });
    expect(value).to.include({ status: 'snapshot', room });
    expect(inRoom()).to.deep.equal(before);
    expect(sockets.size).to.equal(open);
  });

  it('says when to retry', async () => {
    const slow = await startApp({ PARLEY_RATE_SCALE: '0.1' });
    const { cookie } = await slow.person();
    const statuses: number[] = [];
    for (let i = 0; i < 14; i += 1) {
      const response = await fetch(`${slow.url}/api/servers`, { headers: { cookie } });
      statuses.push(response.status);
      if (response.status !== 429) continue;
      const { error } = (await response.json()) as { error: Failure };
      expect(error).to.include({ code: 'rate_limited', retryable: true });
      expect(error.retryAfterMs).to.be.within(1, 10_000);
      expect(Number(response.headers.get('retry-after'))).to.equal(
        Math.ceil(error.retryAfterMs! / 1_000),
      );
    }
    expect(statuses).to.deep.equal([...Array<number>(12).fill(200), 429, 429]);
    await slow.close();
  });

  it('a session that ended is refused', async () => {
    const { app, ask, refuses } = house;
    const eve = await app.person();
    await ask('server:list', { as: eve });
    await eve.send('session:logout', {});
    await refuses('unauthenticated', 'server:list', { as: eve });
  });

  it('request lines without a valid address do no harm', async () => {
    const { app, ann } = house;
    const { hostname, port } = new URL(app.url);
    for (const target of [
      '//',
      '///',
      '//[',
      '/\\',
      '*',
      'http://[',
      'http://',
      '/%',
      '/api/servers/%00',
      '/api//servers',
      '?',
      '/api/servers?%',
      '/api/servers??=&&=',
    ]) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: x\r\nCookie: ${ann.cookie}\r\nConnection: close\r\n\r\n`,
      );
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString('latin1'), target).to.match(/^HTTP\/1\.1 [2-4]\d\d /);
      socket.destroy();
    }
  });

  it('text that is not UTF-8 is refused, not replaced', async () => {
    const { app, ann, channelId } = house;
    const response = await fetch(`${app.url}/api/messages`, {
      method: 'POST',
      headers: { cookie: ann.cookie, 'content-type': 'application/json' },
      body: Buffer.concat([
        Buffer.from(`{"timelineId":"${channelId}","body":"`),
        Buffer.of(0xff),
        Buffer.from('"}'),
      ]),
    });
    expect(response.status).to.equal(400);
  });
});
