import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import type { Change } from '../../shared/changes.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { storePicture, upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

describe('server icons', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cat: Person;
  let serverId: string;
  let code: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, cat] = (await Promise.all(
      ['Ann', 'Ben', 'Cat'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    serverId = (await ann.send('server:create', { name: 'Place' })).server.id;
    code = (await ann.send('invite:create', { serverId })).invite.code;
    await ben.send('server:join', { code });
    await ben.send('server:open', { serverId });
  });
  afterEach(() => {
    for (const person of [ann, ben, cat]) person.close();
  });
  after(() => app.close());

  const status = async (id: string, as?: Person, query = '') =>
    (
      await fetch(`${app.url}/files/${id}/icon${query}`, {
        headers: as ? { cookie: as.cookie } : {},
      })
    ).status;
  const uploaded = async (person: Person) =>
    (await upload(person, { purpose: 'icon' }, await picture(90, 60).png().toBuffer())).id;
  const isUpdate = ({ type }: Change) => type === 'server:updated';
  const give = async () => {
    const icon = await uploaded(ann);
    return (await ann.send('server:update', { serverId, icon })).server;
  };
  const swept = (id: string) =>
    until(async () => {
      app.pass(1_000);
      const left = await query(app.db, 'select 1 from file_chunks where file_id = $1', [id]);
      return left.length === 0;
    });

  it('are sent in the server’s room and on each member’s list, like its name', async () => {
    const server = await give();
    expect(server).to.include({ name: 'Place', id: serverId });
    for (const room of [serverRoom(serverId), userRoom(ben.id)]) {
      const received = await ben.waitFor(
        'changes',
        (event) => event.room === room && event.changes.some(isUpdate),
      );
      const change = received.changes.find(isUpdate);
      expect(change).to.have.nested.property('server.icon', server.icon);
    }
    const { servers } = await ben.send('server:list', {});
    expect(servers.find(({ id }) => id === serverId)).to.include({ icon: server.icon });
    const renamed = (await ann.send('server:update', { serverId, name: 'Other' })).server;
    expect(renamed).to.include({ icon: server.icon, name: 'Other' });
    const same = await ann.send('server:update', { serverId, icon: server.icon! });
    expect(same.server).to.deep.equal(renamed);
  });

  it('are set only by the owner, from their own pictures for icons', async () => {
    const [hers, his] = [await uploaded(ann), await uploaded(ben)];
    const avatar = (
      await upload(ann, { purpose: 'avatar' }, await picture(90, 60).png().toBuffer())
    ).id;
    expect((await ben.expectError('server:update', { serverId, icon: his })).code).to.equal(
      'forbidden',
    );
    expect((await cat.expectError('server:update', { serverId, icon: his })).code).to.equal(
      'not_found',
    );
    for (const icon of [his, avatar])
      expect((await ann.expectError('server:update', { serverId, icon })).code).to.equal(
        'not_found',
      );
    await ann.send('server:update', { serverId, icon: hers });
    const { server } = await ann.send('server:create', { name: 'Elsewhere' });
    const twice = { serverId: server.id, icon: hers };
    expect((await ann.expectError('server:update', twice)).code).to.equal('not_found');
  });

  it('are visible to members and to holders of an invite', async () => {
    const icon = (await give()).icon!;
    expect(await status(icon, ann)).to.equal(200);
    expect(await status(icon, ben)).to.equal(200);
    expect(await status(icon, cat)).to.equal(404);
    expect(await status(icon)).to.equal(401);
    const { invite } = await cat.send('invite:get', { code });
    expect(invite.server).to.include({ icon });
    for (const person of [cat, undefined]) {
      expect(await status(icon, person, `?invite=${code}`)).to.equal(200);
      expect(await status(icon, person, '?invite=nonesuch')).to.equal(404);
    }
    const { server } = await cat.send('server:create', { name: 'Elsewhere' });
    const other = (await cat.send('invite:create', { serverId: server.id })).invite.code;
    expect(await status(icon, cat, `?invite=${other}`)).to.equal(404);
    await ann.send('member:remove', { serverId, userId: ben.id });
    expect(await status(icon, ben)).to.equal(404);
    await ann.send('invite:delete', { code });
    expect(await status(icon, undefined, `?invite=${code}`)).to.equal(404);
  });

  it('are the only files that an invite shows', async () => {
    const avatar = (
      await upload(ann, { purpose: 'avatar' }, await picture(90, 60).png().toBuffer())
    ).id;
    await ann.send('user:update', { avatar });
    const unused = await uploaded(ann);
    const emoji = await storePicture(app.db, ann.id, 'emoji');
    await ann.send('emoji:create', { serverId, name: 'tea', fileId: emoji });
    for (const id of [avatar, unused, emoji, 'x'])
      expect(await status(id, undefined, `?invite=${code}`), id).to.equal(404);
    expect(await status(emoji, ben)).to.equal(200);
    expect(await status((await give()).icon!, undefined, `?invite=${code}`)).to.equal(200);
  });

  it('are deleted when replaced or removed, and with the server', async () => {
    const first = (await give()).icon!;
    const second = (await give()).icon!;
    expect([await status(first, ben), await status(second, ben)]).to.deep.equal([404, 200]);
    await swept(first);
    const { server } = await ann.send('server:update', { serverId, icon: null });
    expect(server).to.not.have.property('icon');
    expect(await status(second, ann)).to.equal(404);
    const third = (await give()).icon!;
    await ann.send('server:delete', { serverId });
    expect(await status(third, ann)).to.equal(404);
    await swept(third);
  });
});
