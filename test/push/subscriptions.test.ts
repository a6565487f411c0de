import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { lookupPublic } from '../../server/push/post.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { enterAs, type Person } from '../support/person.ts';
import { newDevice } from '../support/push-device.ts';
import { isBlocked } from '../support/table-lock.ts';
import { until } from '../support/time.ts';

describe('subscriptions to push messages', () => {
  let app: TestApp;
  let ann: Person;

  before(
    async () =>
      void (app = await startApp({
        PARLEY_LOBBY: 'off',
        PARLEY_PUSH_SERVICES: 'https://push.example.org:8443, http://127.0.0.1:9',
      })),
  );
  after(() => app.close());
  beforeEach(async () => void (ann = await app.person('Ann')));

  const subscribe = (person: Person, device = newDevice()) =>
    person.send('push:subscribe', { ...device, hidesText: false });
  const current = async (person: Person) =>
    (await person.send('session:list', {})).sessions.find((one) => one.current)?.id ?? '';
  const listed = async (person: Person) => (await person.send('push:list', {})).sessionIds;
  const elsewhere = (person: Person) =>
    enterAs(app.url, 'login', {
      username: person.user.username,
      password: `the password of ${person.user.username}`,
    });

  it('are bound to one key, the same for all and on every start', async () => {
    const { key } = await ann.send('push:key', {});
    expect(Buffer.from(key, 'base64url')).to.have.lengthOf(65);
    const again = await startApp({ PARLEY_LOBBY: 'off' }, app.where);
    const ben = await again.person('Ben');
    expect(await ben.send('push:key', {})).to.deep.equal({ key });
    await again.close();
  });

  it('are one for each device, and each device can list and remove them', async () => {
    const phone = await elsewhere(ann);
    expect(await listed(ann)).to.deep.equal([]);
    await subscribe(ann);
    await subscribe(ann);
    await subscribe(phone);
    expect(await listed(ann)).to.have.members([await current(ann), await current(phone)]);
    await ann.send('push:unsubscribe', { sessionId: await current(phone) });
    expect(await listed(phone)).to.deep.equal([await current(ann)]);
    await ann.send('push:unsubscribe', {});
    await ann.send('push:unsubscribe', {});
    expect(await listed(ann)).to.deep.equal([]);
  });

  it('cannot be removed by another account', async () => {
    const ben = await app.person('Ben');
    await subscribe(ben);
    const sessionId = await current(ben);
    expect((await ann.expectError('push:unsubscribe', { sessionId })).code).to.equal('not_found');
    expect(await listed(ben)).to.deep.equal([sessionId]);
  });

  it('end with their session', async () => {
    const phone = await elsewhere(ann);
    await subscribe(phone);
    expect(await listed(ann)).to.have.lengthOf(1);
    await phone.send('session:logout', {});
    expect(await listed(ann)).to.deep.equal([]);
  });

  it('are not stored for a session that ends at the same moment', async () => {
    const phone = await elsewhere(ann);
    const sessionId = await current(phone);
    const subscribed = await transaction(app.db, async (db) => {
      await query(db, 'delete from sessions where id = $1', [sessionId]);
      const asked = subscribe(phone).catch((error: unknown) => error);
      await until(() => isBlocked(app.db));
      return { asked };
    });
    expect(await subscribed.asked).to.include({ code: 'unauthenticated' });
    expect(await listed(ann)).to.deep.equal([]);
  });

  it('move to the account that signs in on the same device', async () => {
    const ben = await app.person('Ben');
    const device = newDevice();
    await subscribe(ann, device);
    await subscribe(ben, device);
    expect(await listed(ann)).to.deep.equal([]);
    expect(await listed(ben)).to.have.lengthOf(1);
  });

  it('belong to one account per device, even when several subscribe it at once', async () => {
    const people = [ann, ...(await Promise.all([1, 2, 3].map((n) => app.person(`P${n}`))))];
    for (let i = 0; i < 5; i += 1) {
      const device = newDevice();
      await Promise.all(
        people.flatMap((person) => [person, person]).map((one) => subscribe(one, device)),
      );
      const all = await Promise.all(people.map(listed));
      expect(all.flat()).to.have.lengthOf(1);
    }
  });

  it('report that another device turned them off, until they are turned on again', async () => {
    const phone = await elsewhere(ann);
    const isTurnedOff = async (of: Person) => (await of.send('push:list', {})).isTurnedOff;
    await subscribe(phone);
    const sessionId = await current(phone);
    expect(await isTurnedOff(phone)).to.equal(false);
    await ann.send('push:unsubscribe', { sessionId });
    expect([await isTurnedOff(phone), await isTurnedOff(ann)]).to.deep.equal([true, false]);
    expect((await ann.expectError('push:unsubscribe', { sessionId })).code).to.equal('not_found');
    await subscribe(phone);
    expect(await isTurnedOff(phone)).to.equal(false);
    await phone.send('push:unsubscribe', {});
    expect(await isTurnedOff(phone)).to.equal(false);
  });

  it('are bounded: the newest devices stay', async () => {
    const first = await elsewhere(ann);
    await subscribe(first);
    for (let i = 0; i < quotas.pushDevices; i += 1) await subscribe(await elsewhere(ann));
    const all = await listed(ann);
    expect(all).to.have.lengthOf(quotas.pushDevices);
    expect(all).not.to.include(await current(first));
  });

  it('have an address of plain characters, because a URL drops those that the database refuses', async () => {
    const { endpoint, ...keys } = newDevice();
    const hidesText = false;
    for (const wrong of [`\0${endpoint}`, `${endpoint}\0`, `${endpoint}\ud800`, `${endpoint} a`])
      expect(
        await ann.expectError('push:subscribe', { ...keys, endpoint: wrong, hidesText }),
        JSON.stringify(wrong),
      ).to.include({ code: 'invalid', field: 'endpoint' });
  });

  it('accept only push services of browsers and those allowed by the operator', async () => {
    const { endpoint, ...keys } = newDevice();
    const { pathname } = new URL(endpoint);
    for (const wrong of [
      'https://127.0.0.1',
      'https://localhost',
      'https://[::1]',
      'https://169.254.169.254',
      'https://push.example.com',
      'https://push.example.org',
      'http://push.example.org:8443',
      'http://127.0.0.1:10',
      'http://updates.push.services.mozilla.com',
      'https://updates.push.services.mozilla.com:8443',
      'https://updates.push.services.mozilla.com.example.org',
      'https://evil-updates.push.services.mozilla.com',
      'https://user@web.push.apple.com',
      'https://fcm.googleapis.com@127.0.0.1',
      'https://a.b.notify.windows.com',
      'ftp://fcm.googleapis.com',
      'https://fcm.googleapis.com:port',
    ])
      expect(
        (
          await ann.expectError('push:subscribe', {
            ...keys,
            endpoint: wrong + pathname,
            hidesText: false,
          })
        ).code,
        wrong,
      ).to.equal('invalid');
    for (const right of [
      'https://fcm.googleapis.com',
      'https://web.push.apple.com',
      'https://wns2-am3p.notify.windows.com',
      'https://push.example.org:8443',
      'http://127.0.0.1:9',
    ])
      await subscribe(ann, { ...keys, endpoint: right + pathname });
  });

  it('are not sent to a host name with a private address', async () => {
    const found = (host: string) =>
      new Promise<unknown>((resolve) => {
        lookupPublic(host, { all: true }, resolve);
      });
    for (const host of ['localhost', '127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1'])
      expect(await found(host), host).to.be.an('error');
    for (const host of ['::ffff:192.168.1.1', '100.64.0.1', '0.0.0.0'])
      expect(await found(host), host).to.be.an('error');
    for (const host of ['9.9.9.9', '2620:fe::fe']) expect(await found(host), host).to.equal(null);
  });

  it('have keys that can be used for encryption', async () => {
    const device = newDevice();
    const point = Buffer.from(device.p256dh, 'base64url');
    point[64] = (point[64] ?? 0) ^ 1;
    for (const wrong of [
      { p256dh: point.toString('base64url') },
      { p256dh: device.p256dh.slice(0, -2) },
      { p256dh: `B${'A'.repeat(86)}` },
      { auth: device.auth.slice(0, -1) },
      { endpoint: `${device.endpoint}/${'x'.repeat(limits.pushEndpoint)}` },
    ])
      expect(
        (await ann.expectError('push:subscribe', { ...device, hidesText: false, ...wrong })).code,
        JSON.stringify(wrong),
      ).to.equal('invalid');
  });
});
