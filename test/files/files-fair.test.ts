import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import type { Share } from '../../server/database/shares.ts';
import { openFileShares } from '../../server/files/sharing.ts';
import { rates } from '../../shared/limits.ts';
import { connectPatiently } from '../../server/database/connect.ts';
import { startPatientApp, type TestApp } from '../support/app.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { countBlocked } from '../support/table-lock.ts';
import { until } from '../support/time.ts';

describe('the shares of large and small files', () => {
  for (const [isPressed, first] of [
    [true, 'small'],
    [false, 'large'],
  ] as const)
    it(`admit the ${first} one first while the machine is ${isPressed ? '' : 'not '}under pressure`, async () => {
      const shares = openFileShares(() => isPressed);
      const [large, small] = [shares.inTurns('large'), shares.inTurns('small')];
      const leave = await large.enter();
      await sleep(100);
      leave();
      const order: string[] = [];
      const enter = async (share: Share, name: string) => {
        const leave = await share.enter();
        order.push(name);
        leave();
      };
      await Promise.all([enter(large, 'large'), enter(small, 'small')]);
      expect(order[0]).to.equal(first);
    });
});

describe('the bytes of files', () => {
  let app: TestApp;
  let ann: Person;
  let timelineId: string;

  before(async () => {
    app = await startPatientApp();
    ann = await app.person('Ann');
    const { servers } = await ann.send('server:list', {});
    timelineId = servers[0]!.defaultChannelId;
  });
  after(() => app.close());

  const read = (person: Person, id: string) =>
    fetch(`${app.url}/files/${id}/a`, { headers: { cookie: person.cookie } });

  it('from guests of one network leave connections to everyone else', async () => {
    const guests = await Promise.all(Array.from({ length: 5 }, () => app.guest()));
    const whole = Buffer.alloc(200_000);
    const begin = { timelineId, name: 'a.bin', size: whole.length };
    const begun = await Promise.all(guests.map((guest) => guest.send('file:begin', begin)));
    const sequelize = connectPatiently(app.where, () => Promise.resolve());
    await transaction({ sequelize }, async (db) => {
      await query(db, 'select 1 from files for update');
      const held = guests.map((guest, i) => {
        const { fileId } = begun[i]!;
        return guest.send('file:chunk', { fileId, offset: 0, bytes: whole.subarray(0, 50_000) });
      });
      await until(async () => (await countBlocked(db)) === 2);
      const file = await upload(ann, timelineId, whole, 'b.bin');
      await ann.send('message:send', { timelineId, files: [{ id: file.id }] });
      expect((await (await read(ann, file.id)).arrayBuffer()).byteLength).to.equal(whole.length);
      await query(db, 'select 1');
      held.forEach((chunk) => void chunk.catch(() => undefined));
    });
    await sequelize.close();
  });

  it('have a daily read limit per account with its bots, and per network of guests', async () => {
    const [ben, guest] = [await app.person('Ben'), await app.guest()];
    const bytes = Buffer.alloc(3_000);
    const { id } = await upload(ann, timelineId, bytes, 'c.bin');
    await ann.send('message:send', { timelineId, files: [{ id }] });
    const { limits } = app.node;
    const { points } = rates.readDaily;
    const scaled = points * app.config.PARLEY_RATE_SCALE;
    await limits.take('readDaily', ben.id, scaled - 4);
    await limits.take('readDaily', '127.0.0.1', scaled - 4);
    for (const person of [ben, guest]) {
      const [first, second] = [await read(person, id), await read(person, id)];
      expect([first.status, second.status]).to.deep.equal([200, 429]);
      expect(await second.json()).to.have.nested.property('error.code', 'rate_limited');
      expect(second.headers.get('content-disposition')).to.equal(null);
      await first.arrayBuffer();
    }
    expect((await read(ann, id)).status).to.equal(200);
    // A HEAD request is not counted, because it reads no bytes.
    const headers = { cookie: ben.cookie };
    const asked = await fetch(`${app.url}/files/${id}/a`, { method: 'HEAD', headers });
    expect(asked.status).to.equal(200);
  });
});
