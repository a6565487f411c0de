import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import type { SidebarList } from '../../shared/sidebar.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('the order of a person’s sidebar', () => {
  let app: TestApp;
  let ann: Person;

  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());
  beforeEach(async () => void (ann = await app.person('Ann')));

  const openServer = async (name: string) => (await ann.send('server:create', { name })).server;
  const openChannel = async (serverId: string, name: string) =>
    (await ann.send('channel:create', { serverId, name })).channel.id;
  const place = async (list: SidebarList['list'], targetId: string, before?: string) => {
    const { sidebarList } = await ann.send('sidebar:place', { list, targetId, before });
    return sidebarList.ids;
  };
  const remove = async (list: SidebarList['list'], targetId: string) =>
    (await ann.send('sidebar:remove', { list, targetId })).sidebarList;
  const listsOf = async (person: Person) => {
    const { ready } = await person.newTab();
    return 'state' in ready ? (ready.state as { sidebarLists: SidebarList[] }).sidebarLists : [];
  };

  it('has all servers after the first move, and new ones at the end', async () => {
    const [tea, mate, cocoa] = [
      (await openServer('Tea')).id,
      (await openServer('Mate')).id,
      (await openServer('Cocoa')).id,
    ];
    expect(await place('servers', cocoa, mate)).to.deep.equal([tea, cocoa, mate]);
    const milk = (await openServer('Milk')).id;
    expect(await place('servers', tea)).to.deep.equal([cocoa, mate, milk, tea]);
    expect(await place('servers', milk, milk), 'before itself').to.deep.equal([
      ...[cocoa, mate, milk, tea],
    ]);
  });

  it('loses servers that the person left with the next move', async () => {
    const [tea, mate] = [(await openServer('Tea')).id, (await openServer('Mate')).id];
    const { serverId } = await joinBens();
    expect(await place('servers', serverId, tea)).to.deep.equal([serverId, tea, mate]);
    await ann.send('server:leave', { serverId });
    expect(await place('servers', mate, tea)).to.deep.equal([mate, tea]);
  });

  it('reaches all devices, including those that connect later', async () => {
    const { id, defaultChannelId: first } = await openServer('Tea');
    const second = await openChannel(id, 'second');
    const phone = await ann.newTab();
    await place('favourites', first);
    expect(await place('favourites', second, first)).to.deep.equal([second, first]);
    await phone.waitFor('changes', ({ changes }) =>
      changes.some(
        (one) =>
          one.type === 'sidebarList:updated' &&
          one.sidebarList.ids.join() === [second, first].join(),
      ),
    );
    expect(await listsOf(ann)).to.have.lengthOf(1);
    expect((await listsOf(ann))[0]).to.deep.include({ list: 'favourites', ids: [second, first] });
    expect((await remove('favourites', first)).ids).to.deep.equal([second]);
    expect((await remove('favourites', second)).ids).to.deep.equal([]);
    await phone.waitFor('changes', ({ changes }) =>
      changes.some((one) => one.type === 'sidebarList:updated' && one.sidebarList.ids.length === 0),
    );
    expect((await listsOf(ann))[0]).to.deep.include({ list: 'favourites', ids: [] });
  });

  it('publishes nothing if nothing changes', async () => {
    const { defaultChannelId } = await openServer('Tea');
    const { sidebarList: first } = await ann.send('sidebar:place', {
      ...{ list: 'favourites', targetId: defaultChannelId },
    });
    const { sidebarList: again } = await ann.send('sidebar:place', {
      ...{ list: 'favourites', targetId: defaultChannelId },
    });
    expect(again).to.deep.equal(first);
    expect((await remove('collapsed', defaultChannelId)).ids).to.deep.equal([]);
    expect(await listsOf(ann)).to.deep.equal([first]);
  });

  it('keeps every entry that two devices place at the same time', async () => {
    const { id, defaultChannelId } = await openServer('Tea');
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, i) => openChannel(id, `channel-${i}`)),
    );
    const phone = await ann.newTab();
    await place('favourites', defaultChannelId);
    await Promise.all(
      added.map((targetId, i) =>
        (i % 2 ? phone : ann).send('sidebar:place', {
          ...{ list: 'favourites', targetId, before: defaultChannelId },
        }),
      ),
    );
    const [list] = await listsOf(ann);
    expect(list?.ids).to.have.members([...added, defaultChannelId]);
    expect(list?.ids.at(-1)).to.equal(defaultChannelId);
  });

  it('refuses targets of another kind', async () => {
    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId: (await openServer('Tea')).id });
    await ben.send('server:join', { code: invite.code });
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    const { id: serverId, defaultChannelId } = await openServer('Mate');
    for (const [list, targetId] of [
      ['favourites', conversation.id],
      ['favourites', serverId],
      ['collapsed', defaultChannelId],
      ['servers', defaultChannelId],
    ] as const)
      expect((await ann.expectError('sidebar:place', { list, targetId })).code).to.equal(
        'not_found',
      );
  });

  it('adds a missing entry that is placed before itself', async () => {
    const { defaultChannelId: id } = await openServer('Tea');
    expect(await place('favourites', id, id)).to.deep.equal([id]);
  });

  /** Ben’s server, with Ann in it. */
  const joinBens = async () => {
    const ben = await app.person('Ben');
    const { server } = await ben.send('server:create', { name: 'Ben’s' });
    const { invite } = await ben.send('invite:create', { serverId: server.id });
    await ann.send('server:join', { code: invite.code });
    return { ben, serverId: server.id, firstId: server.defaultChannelId };
  };
  const fill = (list: SidebarList['list'], count: number) =>
    query(
      app.db,
      `update sidebar_lists set ids = ids || array(
         select gen_random_uuid() from generate_series(1, $3)) where user_id = $1 and list = $2`,
      [ann.id, list, count],
    );

  it('loses favourites that the person can no longer see when it is full', async () => {
    const [here, left] = [await joinBens(), await joinBens()];
    const openSecret = async (name: string) => {
      const { ben, serverId } = here;
      const secret = { serverId, name, private: true, userIds: [ann.id] };
      return (await ben.send('channel:create', secret)).channel.id;
    };
    const [inside, outside] = [await openSecret('inside'), await openSecret('outside')];
    const { id: ownId, defaultChannelId: own } = await openServer('Tea');
    const more = await openChannel(ownId, 'more');
    for (const id of [more, outside, inside, left.firstId, own]) await place('favourites', id);
    await here.ben.send('channel:removeMember', { channelId: outside, userId: ann.id });
    await ann.send('server:leave', { serverId: left.serverId });
    expect(await place('favourites', inside, own), 'before it is full').to.deep.equal([
      ...[more, outside, left.firstId, inside, own],
    ]);
    await fill('favourites', quotas.favouriteChannels - 5);
    expect(await place('favourites', here.firstId, more)).to.deep.equal([
      ...[here.firstId, more, inside, own],
    ]);
  });

  it('loses categories that the person can no longer see when it is full', async () => {
    const [here, left] = [await joinBens(), await joinBens()];
    const openCategory = async ({ ben, serverId }: typeof here, name: string) =>
      (await ben.send('category:create', { serverId, name })).category.id;
    const [ships, shore] = [await openCategory(here, 'Ships'), await openCategory(here, 'Shore')];
    const gone = await openCategory(left, 'Gone');
    for (const id of [shore, gone]) await place('collapsed', id);
    await ann.send('server:leave', { serverId: left.serverId });
    await fill('collapsed', quotas.collapsedCategories - 2);
    expect(await place('collapsed', ships)).to.deep.equal([shore, ships]);
  });
});

describe('a hidden channel', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  it('keeps its level when it is hidden and shown again', async () => {
    const ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Tea' });
    const targetId = server.defaultChannelId;
    const hide = await ann.send('notification:set', { targetId, hidden: true, level: 'all' });
    expect(hide.setting).to.deep.include({ targetId, hidden: true, level: 'all' });
    const shown = await ann.send('notification:set', { targetId, hidden: false });
    expect(shown.setting).to.have.keys('targetId', 'version', 'level');
  });

  it('is the only target that can be hidden', async () => {
    const ann = await app.person('Ann');
    const ben = await app.person('Ben');
    const { server } = await ann.send('server:create', { name: 'Tea' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    for (const targetId of [ann.id, ben.id, server.id, conversation.id])
      expect((await ann.expectError('notification:set', { targetId, hidden: true })).code).to.equal(
        'not_found',
      );
  });
});
