import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { atLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { openPushScene, type PushScene } from '../support/push-scene.ts';
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
    const { app, service, subscribed, hurry, settled } = scene;
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
    const races = atLength(20, 100);
    while (members.length < races) members.push(await join());
    const race = { isOver: false };
    // Pushes are sent all the time, with a removal at every moment of it.
    const sending = (async () => {
      while (!race.isOver) {
        await hurry();
        await sleep(10);
      }
    })();
    for (const [i, member] of members.entries()) {
      const during = say(`during ${i}`);
      await ann.send('member:remove', { serverId, userId: member.person.id });
      const { position } = await say(`after ${i}`);
      member.outFrom = position;
      await during;
    }
    race.isOver = true;
    await sending;
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
