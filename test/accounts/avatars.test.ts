import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import sharp from 'sharp';
import { query } from '../../server/database/database.ts';
import { limits } from '../../shared/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { sendChunks, upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { bomb, animation, photo, picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

const purpose = 'avatar';

describe('avatars', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let guest: Person;
  let serverId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, guest] = await Promise.all([app.person('Ann'), app.person('Ben'), app.guest('Gil')]);
    serverId = (await ann.send('server:create', { name: 'Place' })).server.id;
  });
  afterEach(() => {
    for (const person of [ann, ben, guest]) person.close();
  });
  after(() => app.close());

  const get = (id: string, as: Person | undefined, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/files/${id}/avatar`, {
      headers: { ...(as && { cookie: as.cookie }), ...headers },
    });
  const status = async (id: string, as?: Person) => (await get(id, as)).status;
  const join = async (person: Person) => {
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await person.send('server:join', { code });
    await person.send('server:open', { serverId });
  };
  const uploaded = async (person: Person, bytes?: Buffer) =>
    (await upload(person, { purpose }, bytes ?? (await picture(400, 300).png().toBuffer()))).id;
  const give = async (person: Person): Promise<string> => {
    const { user } = await person.send('user:update', { avatar: await uploaded(person) });
    return user.avatar!;
  };
  const isKept = async (id: string) =>
    (await query(app.db, 'select 1 from file_chunks where file_id = $1', [id])).length > 0;
  const swept = async (id: string) => {
    await until(async () => {
      app.pass(1_000);
      return !(await isKept(id));
    });
  };

  it('are squares of one size, without animation and without the location of a photo', async () => {
    for (const bytes of [
      await photo('Whitstable'),
      await animation('gif', [100, 100]),
      await picture(4_000, 100).avif().toBuffer(),
      await picture(2, 2).png().toBuffer(),
    ]) {
      const file = await upload(ann, { purpose }, bytes);
      expect(file).to.include({ type: 'image/webp', width: 256, height: 256 });
      const kept = Buffer.from(await (await get(file.id, ann)).arrayBuffer());
      const { width, height, pages = 1, exif } = await sharp(kept).metadata();
      expect({ width, height, pages, exif }).to.deep.equal({
        ...{ width: 256, height: 256, pages: 1, exif: undefined },
      });
      expect(kept.toString('latin1')).to.not.include('Whitstable');
    }
  });

  it('reach members of a shared server, and are part of ready, member search and user search', async () => {
    await join(ben);
    const avatar = await give(ann);
    const { people } = await ben.waitFor(
      'people',
      (news) => news.people[ann.id]?.avatar === avatar,
    );
    expect(people[ann.id]).to.include({ avatar, rev: 2 });
    const own = await ann.waitFor('people', (news) => news.people[ann.id]?.avatar === avatar);
    expect(own.people[ann.id]).to.deep.equal(people[ann.id]);
    const again = await ann.newTab();
    expect(again.ready.you.avatar).to.equal(avatar);
    again.close();
    const { people: found } = await ben.send('member:search', { query: ann.user.name });
    expect(found[ann.id]).to.deep.equal(people[ann.id]);
    const { users } = await ben.send('user:search', { query: ann.user.name });
    expect(users.find(({ id }) => id === ann.id)).to.include({ avatar });
  });

  it('stay when the name changes; setting the same avatar again changes nothing', async () => {
    const avatar = await give(ann);
    const { user } = await ann.send('user:update', { displayName: 'Anna' });
    expect(user).to.include({ name: 'Anna', avatar, rev: 3 });
    expect((await ann.send('user:update', { avatar })).user.rev).to.equal(3);
    expect(await status(avatar, ann)).to.equal(200);
  });

  it('are visible only to those who can see the person’s name', async () => {
    const [avatar, cat] = [await give(ann), await app.person('Cat')];
    const { bot, token } = await cat.send('bot:create', { name: 'Bob' });
    const asBot = () => get(avatar, undefined, { authorization: `Bearer ${token}` });
    // Registered people can find each other without a shared server.
    expect(await status(avatar, ben)).to.equal(200);
    expect(await status(avatar, guest)).to.equal(404);
    expect((await asBot()).status).to.equal(404);
    expect(await status(avatar)).to.equal(401);
    await Promise.all([guest, cat].map(join));
    await ann.send('bot:add', { serverId, botId: bot.id });
    expect(await status(avatar, guest)).to.equal(200);
    expect((await asBot()).status).to.equal(200);
    await ann.send('member:remove', { serverId, userId: guest.id });
    expect(await status(avatar, guest)).to.equal(404);
    cat.close();
  });

  it('are visible only to their uploader until one account uses them, and serve no other account', async () => {
    const fileId = await uploaded(ann);
    expect([await status(fileId, ann), await status(fileId, ben)]).to.deep.equal([200, 404]);
    expect((await ben.expectError('user:update', { avatar: fileId })).code).to.equal('not_found');
    await ann.send('user:update', { avatar: fileId });
    expect(await status(fileId, ben)).to.equal(200);
    expect((await ann.expectError('file:delete', { fileId })).code).to.equal('not_found');
    const { bot } = await ann.send('bot:create', { name: 'Bob' });
    const theirs = { botId: bot.id, avatar: fileId };
    expect((await ann.expectError('bot:update', theirs)).code).to.equal('not_found');
  });

  it('cannot be message files or unfinished uploads, and cannot be attached to messages', async () => {
    const { defaultChannelId: timelineId } = (await ann.send('server:list', {})).servers[0]!;
    const bytes = await picture().png().toBuffer();
    const inTimeline = await upload(ann, timelineId, bytes);
    expect((await ann.expectError('user:update', { avatar: inTimeline.id })).code).to.equal(
      'not_found',
    );
    const files = [{ id: await uploaded(ann) }];
    expect((await ann.expectError('message:send', { timelineId, files })).code).to.equal('invalid');
    const half = await sendChunks(ann, { purpose }, bytes);
    expect((await ann.expectError('user:update', { avatar: half })).code).to.equal('not_found');
    const both = { timelineId, purpose, name: 'a.png', size: 3 } as const;
    expect((await ann.expectError('file:begin', both)).code).to.equal('invalid');
    expect((await ann.expectError('file:begin', { name: 'a.png', size: 3 })).code).to.equal(
      'invalid',
    );
  });

  it('are refused when they are too large or not a readable picture, and then nothing is stored', async () => {
    const wrongs = [
      randomBytes(2_000),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.from('GIF89a/*<script>alert(1)</script>*/=1;'),
      (await picture(400, 300).png().toBuffer()).subarray(0, 300),
      bomb(30_000, 30_000),
    ];
    for (const bytes of wrongs) {
      const fileId = await sendChunks(ann, { purpose }, bytes);
      expect((await ann.expectError('file:finish', { fileId })).code).to.equal('invalid');
      expect((await ann.expectError('user:update', { avatar: fileId })).code).to.equal('not_found');
      await swept(fileId);
    }
    const begin = { purpose, name: 'a.png', size: limits.avatarBytes + 1 } as const;
    expect(await ann.expectError('file:begin', begin)).to.include({
      code: 'invalid',
      field: 'size',
    });
  });

  it('are refused for guests', async () => {
    const begin = { purpose, name: 'a.png', size: 3 } as const;
    expect((await guest.expectError('file:begin', begin)).code).to.equal('forbidden');
    const avatar = await uploaded(ann);
    expect((await guest.expectError('user:update', { avatar })).code).to.equal('forbidden');
    await ann.send('file:begin', begin);
    await guest.send('user:update', { displayName: 'Gill' });
  });

  it('are set on bots only by their owner, and are deleted with the bot', async () => {
    const { bot } = await ann.send('bot:create', { name: 'Bob' });
    await ann.send('bot:add', { serverId, botId: bot.id });
    await join(ben);
    const botId = bot.id;
    const avatar = await uploaded(ann);
    const theirs = { botId, avatar: await uploaded(ben) };
    expect((await ben.expectError('bot:update', theirs)).code).to.equal('not_found');
    const updated = (await ann.send('bot:update', { botId, avatar })).bot;
    expect(updated).to.deep.equal({ ...bot, avatar });
    await ben.waitFor('people', ({ people }) => people[botId]?.avatar === avatar);
    expect(await status(avatar, ben)).to.equal(200);
    expect((await ann.send('bot:list', {})).bots).to.deep.equal([updated]);
    await ann.send('bot:delete', { botId });
    expect(await status(avatar, ben)).to.equal(404);
    await swept(avatar);
  });

  it('are cached by browsers for an hour, for the requesting account only', async () => {
    const avatar = await give(ann);
    const { headers } = await get(avatar, ann);
    expect(Object.fromEntries(headers)).to.include({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=3600',
      vary: 'Cookie, Authorization',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    });
  });
});
