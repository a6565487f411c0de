import { expect } from 'chai';
import { startApp } from '../support/app.ts';

interface Packet {
  data?: unknown;
  options?: { wsPreEncodedFrame?: Buffer[] };
}

describe('frames', () => {
  it('are one buffer for all receivers of a change, so that each connection writes once', async () => {
    const app = await startApp();
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const channelId =
      ann.ready.status === 'snapshot' ? ann.ready.state.servers[0]!.defaultChannelId : '';
    const packets: Packet[] = [];
    for (const person of [ann, ben]) await person.send('channel:join', { channelId });
    for (const { conn } of app.node.io.of('/').sockets.values())
      conn.on('packetCreate', (packet: Packet) => packets.push(packet));
    await ann.send('message:send', { timelineId: channelId, body: 'Здравствуйте 👋' });
    for (const person of [ann, ben]) await person.waitFor('changes');
    const frames = packets
      .filter(({ data }) => String(data).includes('message:created'))
      .map(({ options }) => options?.wsPreEncodedFrame);
    expect(frames).to.have.length(2);
    expect(frames[0]).to.have.length(1);
    expect(frames[0]![0]).to.equal(frames[1]![0]);
    await app.close();
  });
});
