import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('notification settings', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;
  let channelId: string;

  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());
  beforeEach(async () => {
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Tea' });
    [serverId, channelId] = [server.id, server.defaultChannelId];
  });

  const settingsOf = async (person: Person) => {
    const { ready } = await person.newTab();
    return 'state' in ready ? (ready.state as { notificationSettings: unknown[] }) : undefined;
  };

  it('reach all devices, including those that connect later', async () => {
    const phone = await ann.newTab();
    const { setting } = await ann.send('notification:set', { targetId: channelId, level: 'all' });
    expect(setting).to.include({ targetId: channelId, level: 'all' });
    await phone.waitFor('changes', ({ changes }) =>
      changes.some(
        (one) => one.type === 'notificationSetting:updated' && one.setting.level === 'all',
      ),
    );
    expect((await settingsOf(ann))?.notificationSettings).to.deep.equal([setting]);
  });

  it('keep fields that are not given, and are deleted with the last chosen field', async () => {
    const choose = async (choice: object) =>
      (await ann.send('notification:set', { targetId: serverId, ...choice })).setting;
    const first = await choose({ level: 'nothing' });
    const until = '2030-01-01T00:00:00.000Z';
    const both = await choose({ muted: { until }, exempt: true });
    expect(both).to.deep.include({ level: 'nothing', muted: { until }, exempt: true });
    expect(both?.version).to.be.greaterThan(first?.version ?? 0);
    expect(await choose({ muted: { until } }), 'the same again').to.deep.equal(both);
    expect(await choose({})).to.deep.equal(both);
    expect(await choose({ muted: {} })).to.deep.include({ muted: {} });
    expect(await choose({ muted: null, exempt: false })).to.have.keys(
      'targetId',
      'version',
      'level',
    );
    const phone = await ann.newTab();
    expect(await choose({ level: null })).to.equal(null);
    await phone.waitFor('changes', ({ changes }) =>
      changes.some(
        (one) => one.type === 'notificationSetting:deleted' && one.targetId === serverId,
      ),
    );
    expect(await choose({ level: null }), 'once more').to.equal(null);
    expect((await settingsOf(ann))?.notificationSettings).to.deep.equal([]);
  });

  it('have times of one spelling and a limited length', async () => {
    const mute = (until: string) =>
      ann.ask('notification:set', { targetId: channelId, muted: { until } });
    expect(await mute('2030-01-01T12:00:00.0000001Z')).to.have.nested.property(
      'value.setting.muted.until',
      '2030-01-01T12:00:00.000Z',
    );
    for (const wrong of [`2030-01-01T12:00:00.${'0'.repeat(5_000)}Z`, '0000-01-01T00:00:00Z'])
      expect(await mute(wrong)).to.have.nested.property('error.code', 'invalid');
  });

  it('accept only an exception for a person, and only for a visible one', async () => {
    const [ben, hidden] = await Promise.all([app.person('Ben'), app.guest('Hidden')]);
    const choose = (targetId: string, choice: object) =>
      ann.ask('notification:set', { targetId, ...choice });
    const { setting } = await ann.send('notification:set', { targetId: ben.id, exempt: true });
    expect(setting).to.include({ targetId: ben.id, personId: ben.id, exempt: true });
    const { ready } = await ann.newTab();
    expect(ready).to.have.nested.property(`people.${ben.id}.name`, 'Ben');
    expect((await settingsOf(ann))?.notificationSettings).to.deep.include(setting);
    for (const wrong of [{ level: 'all' }, { muted: {} }, { exempt: true, level: 'all' }])
      expect(await choose(ben.id, wrong)).to.have.nested.include({ 'error.code': 'not_found' });
    const keywords = await choose(ben.id, { keywords: ['tea'] });
    expect(keywords).to.have.nested.include({ 'error.code': 'invalid' });
    expect(await choose(hidden.id, { exempt: true })).to.have.nested.include({
      'error.code': 'not_found',
    });
    const { invite } = await ann.send('invite:create', { serverId });
    await hidden.send('server:join', { code: invite.code });
    expect(await choose(hidden.id, { exempt: true })).to.include({ ok: true });
    await ann.send('member:remove', { serverId, userId: hidden.id });
    expect(await choose(hidden.id, { exempt: false })).to.deep.include({
      value: { setting: null },
    });
  });

  it('have keywords and quiet hours only in the setting for everything', async () => {
    const quietHours = { from: 1_320, to: 420, timeZone: 'Europe/Oslo', days: [1, 5] };
    const chosen = { keywords: ['tea', 'oolong', 'tea'], quietHours };
    const { setting } = await ann.send('notification:set', { targetId: ann.id, ...chosen });
    expect(setting).to.deep.include({ keywords: ['tea', 'oolong'], quietHours });
    for (const one of [{ keywords: ['tea'] }, { quietHours }])
      expect(
        (await ann.expectError('notification:set', { targetId: channelId, ...one })).code,
      ).to.equal('invalid');
    for (const wrong of [
      { keywords: ['x'.repeat(limits.keyword + 1)] },
      { keywords: [' '] },
      { keywords: Array.from({ length: limits.keywords + 1 }, (_, i) => `word ${i}`) },
      { quietHours: { ...quietHours, to: quietHours.from } },
      { quietHours: { ...quietHours, to: 1_440 } },
      { quietHours: { ...quietHours, days: [] } },
      { quietHours: { ...quietHours, days: [0] } },
      { quietHours: { ...quietHours, timeZone: 'Atlantis/Centre' } },
    ])
      expect(
        (await ann.expectError('notification:set', { targetId: ann.id, ...wrong })).code,
        JSON.stringify(wrong),
      ).to.equal('invalid');
    const none = { keywords: [], quietHours: null };
    expect(await ann.send('notification:set', { targetId: ann.id, ...none })).to.deep.equal({
      setting: null,
    });
  });

  it('are deleted for places without access when there are too many', async () => {
    await query(
      app.db,
      `insert into notification_settings (user_id, target_id, level, version)
       select $1, gen_random_uuid(), 'nothing', 0 from generate_series(1, $2)`,
      [ann.id, quotas.notificationSettings - 1],
    );
    await ann.send('notification:set', { targetId: serverId, level: 'all' });
    const phone = await ann.newTab();
    const { setting } = await ann.send('notification:set', { targetId: channelId, level: 'all' });
    expect(setting?.level).to.equal('all');
    await phone.waitFor('changes', ({ changes }) => changes.length === quotas.notificationSettings);
    expect((await settingsOf(ann))?.notificationSettings).to.have.lengthOf(2);
  });

  it('are refused for hidden people and places, and for unknown ids', async () => {
    const ben = await app.person('Ben');
    const guest = await app.guest();
    for (const targetId of [guest.id, serverId, channelId, v7()])
      for (const choice of [{ level: 'all' as const }, { exempt: true }])
        expect((await ben.expectError('notification:set', { targetId, ...choice })).code).to.equal(
          'not_found',
        );
    expect((await settingsOf(ben))?.notificationSettings).to.deep.equal([]);
  });
});
