import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { BotError } from '../../client/bot/bot.ts';
import { newId } from '../../client/sync/ids.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { BotFixture, readAll } from '../support/bots.ts';
import { upload } from '../support/files.ts';
import { picture } from '../support/pictures.ts';
import { openBotWorkshop } from './trial.ts';

describe('files of a bot', () => {
  let app: TestApp;
  let fixture: BotFixture;
  before(async () => void (app = await startApp()));
  after(() => app.close());
  beforeEach(async () => void (fixture = await BotFixture.open()));
  afterEach(() => fixture.close());

  it('are sent with their message once, however often it is sent', async () => {
    const { ann, channelId, made } = await openBotWorkshop(app, fixture);
    const bot = made();
    await bot.start();
    const notes = { name: 'notes.bin', bytes: randomBytes(150_000) };
    const chart = { name: 'chart.png', bytes: await picture().png().toBuffer(), alt: 'A chart' };
    const say = { body: 'Figures', files: [chart, notes], id: newId() };
    const [first, second] = [await bot.send(channelId, say), await bot.send(channelId, say)];
    expect(second.id).to.equal(first.id);
    const [message, ...others] = await readAll(ann, channelId);
    expect(others).to.be.empty;
    expect(message?.files).to.have.length(2);
    expect(message?.files?.[0]).to.include({ type: 'image/png', width: 40, alt: 'A chart' });
    expect(message?.files?.[1]).to.include({ name: 'notes.bin', size: 150_000 });
    const alone = await bot.send(channelId, { files: [notes] });
    expect(alone).to.include({ body: '' });
  });

  it('are read where it may read the message, and nowhere else', async () => {
    const { ann, channelId, serverId, made } = await openBotWorkshop(app, fixture);
    const bot = made();
    await bot.start();
    const bytes = randomBytes(100_000);
    const { channel } = await ann.send('channel:create', {
      serverId,
      name: 'quiet',
      private: true,
    });
    const [open, closed] = [channelId, channel.id].map(async (timelineId) => {
      const file = await upload(ann, timelineId, bytes, 'tea & cake.bin');
      await ann.send('message:send', { timelineId, files: [{ id: file.id }] });
      return file;
    });
    expect(Buffer.from(await bot.read(await open!)).equals(bytes)).to.equal(true);
    const hidden = await closed!;
    await bot.read(hidden).then(
      () => expect.fail('it was read'),
      (error: unknown) => expect((error as BotError).code).to.equal('not_found'),
    );
  });
});
