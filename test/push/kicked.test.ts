import { expect } from 'chai';
import { atLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { hurryPushes } from '../support/push-queue.ts';
import { openPushScene, type PushScene } from '../support/push-scene.ts';
import { until } from '../support/time.ts';
import type { PushDevice } from '../support/push-device.ts';

interface Member {
  person: Person;
  phone: PushDevice;
  /** The position of the first message after the removal. */
  outFrom?: number;
}

describe('a removal that races push messages', () => {
  let scene: PushScene;

  before(async () => {
    scene = await openPushScene();
  });
  after(() => scene.close());

  it('stops pushes of later messages', async () => {
    const { app, service, subscribed, settled } = scene;
    const { ann, ben, place, phone, say } = await scene.begin();
    const { serverId } = place;
    const join = async (): Promise<Member> => {
      const person = await app.person();
      await person.send('server:join', { code: place.code });
      await person.send('notification:set', { targetId: serverId, level: 'all' });
      const device = await subscribed(person);
      await person.send('presence:update', { active: false });
      return { person, phone: device };
    };
    await ben.send('notification:set', { targetId: serverId, level: 'all' });
    const members: Member[] = [];
    const races = atLength(10, 100);
    while (members.length < races) members.push(await join());
    const phones = [phone, ...members.map(({ phone }) => phone)];
    const requests = () => phones.reduce((sum, one) => sum + service.requestsTo(one), 0);
    for (const [i, member] of members.entries()) {
      const before = requests();
      await say(`before ${i}`);
      // The node sends pushes at the moment of the removal.
      await until(async () => {
        await hurryPushes(app.db, 0);
        app.pass(1_000);
        return requests() > before;
      });
      await ann.send('member:remove', { serverId, userId: member.person.id });
      const { position } = await say(`after ${i}`);
      member.outFrom = position;
    }
    await settled();
    const sentTo = (device: PushDevice) =>
      service.sentTo(device).flatMap(({ position, others }) => [position, ...others]);
    for (const [i, { phone, outFrom = 0 }] of members.entries()) {
      const leaked = sentTo(phone).filter((position) => position >= outFrom);
      expect(leaked, `to member ${i}`).to.deep.equal([]);
    }
    // Only the newest of many that are due in the same moment are sent.
    expect(sentTo(phone)).to.include(members.at(-1)!.outFrom);
    expect(new Set(sentTo(phone)).size).to.equal(sentTo(phone).length);
    expect(service.complaints).to.deep.equal([]);
  });
});
