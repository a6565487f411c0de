import { expect } from 'chai';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { storePicture, upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';

const purpose = 'emoji';

describe('emoji of servers', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cat: Person;
  let serverId: string;
  let timelineId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, cat] = (await Promise.all(
      ['Ann', 'Ben', 'Cat'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
    await ben.send('server:open', { serverId });
  });
  afterEach(() => {
    for (const person of [ann, ben, cat]) person.close();
  });
  after(() => app.close());

  const pictureOf = (person: Person) => storePicture(app.db, person.id, purpose);
  const create = async (name: string, by = ann) =>
    (await by.send('emoji:create', { serverId, name, fileId: await pictureOf(by) })).emoji;
  const status = async (id: string, as: Person) =>
    (await fetch(`${app.url}/files/${id}/emoji`, { headers: { cookie: as.cookie } })).status;
  const say = async (by = ann) =>
    (await by.send('message:send', { timelineId, body: 'Tea?' })).message.id;

  it('are scaled to the size at which they are drawn, and keep their shape', async () => {
    const bytes = await picture(400, 200).png().toBuffer();
    const file = await upload(ann, { purpose }, bytes);
    expect(file).to.include({ type: 'image/webp', width: 128, height: 64 });
    const { emoji } = await ann.send('emoji:create', { serverId, name: 'tea', fileId: file.id });
    expect(emoji).to.include({ id: file.id, serverId, name: 'tea' });
    const begin = { purpose, name: 'a.png', size: limits.emojiBytes + 1 } as const;
    expect(await ann.expectError('file:begin', begin)).to.include({
      code: 'invalid',
      field: 'size',
    });
  });

  it('are announced in the server’s room, are part of its state, and are visible to members only', async () => {
    const emoji = await create('tea');
    const received = await ben.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'emoji:created'),
    );
    expect(received.room).to.equal(serverRoom(serverId));
    expect(received.changes).to.deep.include({
      type: 'emoji:created',
      version: emoji.version,
      emoji,
    });
    const entry = await ann.send('server:open', { serverId });
    expect(entry).to.have.nested.property('state.emoji').that.deep.equals([emoji]);
    expect([await status(emoji.id, ben), await status(emoji.id, cat)]).to.deep.equal([200, 404]);
  });

  it('are added and deleted by moderators and the owner', async () => {
    const mine = { serverId, name: 'tea', fileId: await pictureOf(ben) };
    expect((await ben.expectError('emoji:create', mine)).code).to.equal('forbidden');
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    const { emoji } = await ben.send('emoji:create', mine);
    expect((await ben.send('emoji:create', mine)).emoji).to.deep.equal(emoji);
    await ann.send('member:update', { serverId, userId: ben.id, role: 'member' });
    const which = { serverId, emojiId: emoji.id };
    expect((await ben.expectError('emoji:delete', which)).code).to.equal('forbidden');
    expect((await cat.expectError('emoji:delete', which)).code).to.equal('not_found');
    const { server } = await cat.send('server:create', { name: 'Elsewhere' });
    const elsewhere = { ...which, serverId: server.id };
    expect((await cat.expectError('emoji:delete', elsewhere)).code).to.equal('not_found');
    await ann.send('emoji:delete', which);
    expect(await status(emoji.id, ann)).to.equal(404);
    const { entries } = await ann.send('audit:list', { serverId });
    expect(entries[0]).to.include({ action: 'emoji:deleted', detail: 'tea', subjectId: emoji.id });
  });

  it('have unique lowercase names, and are at most a hundred', async () => {
    await create('tea');
    const fileId = await pictureOf(ann);
    expect(
      (await ann.expectError('emoji:create', { serverId, name: 'tea', fileId })).code,
    ).to.equal('conflict');
    for (const name of ['Tea', 't', 'té', 'a b', ':tea:', 'x'.repeat(33)])
      expect(await ann.expectError('emoji:create', { serverId, name, fileId })).to.include({
        ...{ code: 'invalid', field: 'name' },
      });
    for (let i = 1; i < quotas.emojiPerServer; i += 1) await create(`tea_${i}`);
    expect(
      (await ann.expectError('emoji:create', { serverId, name: 'more', fileId })).code,
    ).to.equal('conflict');
  });

  it('can be used for reactions on their own server, and nowhere else', async () => {
    const { id: emojiId } = await create('tea');
    const reaction = { messageId: await say(), emoji: ':tea:', on: true };
    await ben.send('message:react', reaction);
    const { messages } = await ann.send('message:list', { timelineId, limit: 1 });
    expect(messages[0]?.reactions).to.deep.equal([{ emoji: ':tea:', count: 1, userIds: [ben.id] }]);
    const unknown = { ...reaction, emoji: ':coffee:' };
    expect(await ben.expectError('message:react', unknown)).to.include({
      ...{ code: 'invalid', field: 'emoji' },
    });
    const { server } = await ann.send('server:create', { name: 'Elsewhere' });
    const other = await ann.send('message:send', {
      ...{ timelineId: server.defaultChannelId, body: 'Tea?' },
    });
    const elsewhere = { ...reaction, messageId: other.message.id };
    expect((await ann.expectError('message:react', elsewhere)).code).to.equal('invalid');
    await ann.send('emoji:delete', { serverId, emojiId });
    expect((await ann.expectError('message:react', reaction)).code).to.equal('invalid');
    const { messages: after } = await ann.send('message:list', { timelineId, limit: 1 });
    expect(after[0]?.reactions).to.deep.equal(messages[0]?.reactions);
    await ben.send('message:react', { ...reaction, on: false });
  });

  it('may have the name of a property of every JavaScript object', async () => {
    for (const name of ['__proto__', 'constructor']) {
      const reaction = { messageId: await say(), emoji: `:${name}:`, on: true };
      expect((await ben.expectError('message:react', reaction)).code, name).to.equal('invalid');
      await create(name);
      await ben.send('message:react', reaction);
      const { messages } = await ann.send('message:list', { timelineId, limit: 1 });
      expect(messages[0]?.reactions).to.deep.equal([
        { emoji: `:${name}:`, count: 1, userIds: [ben.id] },
      ]);
    }
  });

  it('are deleted with their server', async () => {
    const { id } = await create('tea');
    await ann.send('server:delete', { serverId });
    expect(await status(id, ann)).to.equal(404);
  });
});
