import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { freePort } from '../../scripts/cluster/place.ts';
import { startApp, type TestApp } from '../support/app.ts';

describe('metrics', () => {
  let app: TestApp;
  let address: string;

  before(async () => {
    address = `127.0.0.1:${await freePort()}`;
    app = await startApp({ PARLEY_METRICS: address });
  });
  after(() => app.close());

  const read = async () => (await fetch(`http://${address}/metrics`)).text();
  const valueOf = (text: string, line: string) =>
    Number(
      text
        .split('\n')
        .find((one) => one.startsWith(`${line} `))
        ?.split(' ')
        .at(-1) ?? 0,
    );

  it('are at no other path, and a path that is not a URL gets 404', async () => {
    for (const path of ['/', '//', '/metrics/', '//metrics']) {
      const [answer] = (await once(request(`http://${address}`, { path }).end(), 'response')) as [
        IncomingMessage,
      ];
      expect(answer.resume().statusCode, path).to.equal(404);
    }
    expect(await read()).to.include('parley_sockets');
  });

  it('count commands with their results, deliveries and sockets', async () => {
    const [ann, ben] = [await app.person('Ann'), await app.guest('Ben')];
    const [lobby] = (await ann.send('server:list', {})).servers;
    const timelineId = lobby?.defaultChannelId ?? '';
    await ben.send('channel:join', { channelId: timelineId });
    for (let i = 0; i < 3; i += 1) await ann.send('message:send', { timelineId, body: `No ${i}` });
    await ann.expectError('message:send', { timelineId, body: '' });
    await (ann.socket as Socket).emitWithAck('no:such', {});
    await ben.waitFor('changes', ({ to }) => to >= 3);
    const text = await read();
    const commands = (command: string, result: string) =>
      valueOf(text, `parley_command_seconds_count{command="${command}",result="${result}"}`);
    expect(commands('message:send', 'ok')).to.equal(3);
    expect(commands('message:send', 'invalid')).to.equal(1);
    expect(commands('unknown', 'invalid')).to.equal(1);
    expect(valueOf(text, 'parley_delivery_seconds_count')).to.equal(3);
    expect(valueOf(text, 'parley_flush_size_count')).to.be.within(1, 3);
    expect(valueOf(text, 'parley_sockets{kind="registered"}')).to.equal(1);
    expect(valueOf(text, 'parley_sockets{kind="guest"}')).to.equal(1);
    expect(valueOf(text, 'parley_entries_total{room="timeline",status="snapshot"}')).to.equal(1);
    expect(valueOf(text, 'parley_hears_others')).to.equal(1);
    expect(text).to.include('nodejs_eventloop_lag_seconds');
    ben.close();
    await ann.send('server:list', {});
    const later = await read();
    expect(
      valueOf(later, 'parley_sockets_closed_total{reason="client namespace disconnect"}'),
    ).to.equal(1);
  });

  it('contain no ids, names or client input', async () => {
    const text = await read();
    expect(text).not.to.match(/[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(text).not.to.include('no:such').and.not.to.include('Ann');
  });

  it('are not served at the address for users', async () => {
    expect((await fetch(`http://${address}/`)).status).to.equal(404);
    const page = await (await fetch(`${app.url}/metrics`)).text();
    expect(page).not.to.include('parley_command_seconds');
  });
});
