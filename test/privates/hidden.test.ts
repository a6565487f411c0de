import { expect } from 'chai';
import { v7 } from 'uuid';
import { userRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { settled } from '../support/place.ts';
import { allReceived, furnishSecrets, waitForChange, listPrivateChannels, say } from './secret.ts';

describe('private channels', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  it('include the chosen members, the creator and the owner; nobody else receives anything', async () => {
    const { ann, ben, cem, serverId, conceal, promote } = await furnishSecrets(app);
    await promote(ben);
    await settled(cem);
    const before = allReceived(cem);
    const channel = await conceal([], ben);
    expect(channel).to.include({ serverId, name: 'secret', private: true });
    expect(channel.memberIds).to.deep.equal([ann.id, ben.id].sort());
    for (const person of [ann, ben]) {
      const { changes } = await waitForChange(person, 'privateChannel:joined', userRoom(person.id));
      const mine = (await listPrivateChannels(person)).find(({ id }) => id === channel.id);
      expect(changes.at(-1)).to.deep.equal({
        type: 'privateChannel:joined',
        version: mine?.version,
        channel: mine,
      });
      await person.send('channel:join', { channelId: channel.id });
    }
    await say(ben, channel.id);
    await ben.send('channel:update', { channelId: channel.id, topic: 'Hush' });
    await ben.send('channel:delete', { channelId: channel.id });
    await waitForChange(ann, 'privateChannel:deleted');
    await settled(cem);
    expect(allReceived(cem)).to.equal(before);
    expect(await listPrivateChannels(cem)).to.deep.equal([]);
  });

  it('are no part of the server’s state, which is the same for everyone in it', async () => {
    const { ann, ben, cem, conceal, stateFor } = await furnishSecrets(app);
    const before = await stateFor(ann);
    const channel = await conceal([ben.id]);
    for (const person of [ann, ben, cem]) expect(await stateFor(person)).to.deep.equal(before);
    expect((await listPrivateChannels(ben)).map(({ id }) => id)).to.deep.equal([channel.id]);
  });

  it('are created once when requested twenty times at once; nobody else can take the id', async () => {
    const { ann, ben, serverId, conceal, promote } = await furnishSecrets(app);
    await promote(ben);
    const id = v7();
    const made = await Promise.all(Array.from({ length: 20 }, () => conceal([], ann, { id })));
    expect(new Set(made.map((one) => JSON.stringify(one))).size).to.equal(1);
    const wanted = { serverId, name: 'secret', id };
    for (const isPrivate of [true, false])
      expect(
        (await ben.expectError('channel:create', { ...wanted, private: isPrivate })).code,
      ).to.equal('not_found');
    const other = { ...wanted, name: 'other' };
    expect((await ben.expectError('channel:create', other)).code).to.equal('conflict');
  });

  it('refuse strangers as members, as public channels refuse a list of members', async () => {
    const { ann, ben, serverId, conceal } = await furnishSecrets(app);
    const stranger = await app.person();
    const wanted = { serverId, name: 'secret', userIds: [ben.id] };
    for (const input of [wanted, { ...wanted, private: false }])
      expect(await ann.expectError('channel:create', input)).to.include({
        code: 'invalid',
        field: 'userIds',
      });
    for (const userId of [stranger.id, serverId, v7()]) {
      const chosen = { ...wanted, private: true, userIds: [ben.id, userId] };
      expect((await ann.expectError('channel:create', chosen)).code).to.equal('not_found');
      const update = { channelId: (await conceal()).id, private: true, userIds: [userId] };
      expect((await ann.expectError('channel:update', update)).code).to.equal('not_found');
      const { id: channelId } = await conceal();
      expect((await ann.expectError('channel:addMember', { channelId, userId })).code).to.equal(
        'not_found',
      );
    }
    expect(await listPrivateChannels(ben)).to.deep.equal([]);
    stranger.close();
  });

  describe('and the default one', () => {
    it('are never the same', async () => {
      const { ann, serverId, defaultId, conceal } = await furnishSecrets(app);
      const { id: channelId } = await conceal();
      const attempts = await Promise.all([
        ann.expectError('channel:update', { channelId: defaultId, private: true }),
        ann.expectError('server:update', { serverId, defaultChannelId: channelId }),
      ]);
      expect(attempts.map(({ code }) => code)).to.deep.equal(['conflict', 'conflict']);
      await ann.send('channel:update', { channelId, private: false });
      await ann.send('server:update', { serverId, defaultChannelId: channelId });
      await ann.send('channel:update', { channelId: defaultId, private: true });
    });

    it('cannot be made the same by raw SQL, which cannot add non-members of the server either', async () => {
      const { serverId, defaultId, conceal } = await furnishSecrets(app);
      const { id } = await conceal();
      const stranger = await app.person();
      const attempts: [string, ...unknown[]][] = [
        ['update channels set private = true where id = $1', defaultId],
        ['update servers set default_channel_id = $1 where id = $2', id, serverId],
        ['update servers set default_is_private = true where id = $1', serverId],
        [
          `insert into channel_members (channel_id, server_id, user_id, user_version) values ($1, $2, $3, 1)`,
          id,
          serverId,
          stranger.id,
        ],
      ];
      for (const [text, ...bind] of attempts) {
        const failure = await query(app.db, text, bind).then(
          () => undefined,
          (error: unknown) => (error as Error).message,
        );
        expect(failure, text).to.be.a('string');
      }
      stranger.close();
    });
  });
});
