import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { limits } from '../../shared/limits.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
  tabTo,
} from '../support/browser.ts';
import { heldChunks } from '../support/held-chunks.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { picture } from '../support/pictures.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

const allowance = 'Files can be up to 1 MB. You can upload 2 MB more today.';

describe('files to send', () => {
  let app: TestApp;
  let ann: Person;
  let path: string;
  let timelineId: string;
  let folder: string;

  before(async () => {
    app = await startSite({
      PARLEY_RATE_SCALE: '1',
      PARLEY_FILE_MB: '1',
      PARLEY_FILE_DAY_MB: '2',
    });
    folder = await mkdtemp(join(tmpdir(), 'parley-tiles-'));
  });
  beforeEach(async () => {
    ann = await app.person('Ann');
    const { serverId, channelId } = await openPlace(ann);
    timelineId = channelId;
    path = `/s/${serverId}/${channelId}`;
  });
  afterEach(closeWindows);
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  const open = async (width = 1_280) => {
    const { page } = await openBrowser(app, { as: ann, path, width });
    await composer(page).waitFor();
    return page;
  };
  const tiles = (page: Page) => page.getByRole('list', { name: 'Files to send' });
  const attach = async (page: Page, name: string, bytes: Buffer) => {
    const file = join(folder, name);
    await writeFile(file, bytes);
    await page.getByLabel('Files to attach').setInputFiles(file);
    await tiles(page).getByText(name).waitFor();
  };
  const names = (page: Page) => tiles(page).locator('bdi').allInnerTexts();
  const hasFocus = (one: Locator) => one.evaluate((node) => node === document.activeElement);

  for (const width of firstAtLength([390, 1_280]))
    it(`are sorted by keys and sent that way, at ${width} pixels`, async () => {
      const page = await open(width);
      const said = page.getByRole('status');
      await attach(page, 'a.png', await picture(300, 200).png().toBuffer());
      await attach(page, 'b.txt', Buffer.from('tea'));
      await attach(page, 'c.txt', Buffer.from('cake'));
      await page.getByRole('button', { name: 'Describe a.png' }).click();
      await page.getByLabel('Description of a.png').fill('A pot of tea');
      await tabTo(page, 'Remove a.png');
      const remove = page.getByRole('button', { name: 'Remove a.png' });
      for (const [key, order, position] of [
        ['ArrowRight', 'b.txt a.png c.txt', 2],
        ['ArrowRight', 'b.txt c.txt a.png', 3],
        ['ArrowLeft', 'b.txt a.png c.txt', 2],
      ] as const) {
        await page.keyboard.press(`Alt+${key}`);
        await said.getByText(`a.png moved to position ${position} of 3.`).waitFor();
        expect((await names(page)).join(' ')).to.equal(order);
        expect(await hasFocus(remove)).to.equal(true);
        const { x, width: wide } = (await remove.boundingBox())!;
        expect(x + wide).to.be.within(wide, width);
      }
      await saveScreenshots(page, `tiles-${width}`);
      await expectAccessible(page);
      // In the description, the keys belong to the field, and the page stays.
      await page.getByRole('button', { name: 'Describe a.png' }).click();
      const isLeft = page.evaluate(
        () =>
          new Promise((resolve) => {
            addEventListener('keydown', (event) => {
              if (event.key === 'ArrowLeft') resolve(!event.defaultPrevented);
            });
          }),
      );
      await page.keyboard.press('Alt+ArrowLeft');
      expect(await isLeft).to.equal(true);
      expect((await names(page)).join(' ')).to.equal('b.txt a.png c.txt');
      await say(page, 'All of it');
      await inState(message(page, 'All of it'), 'sent').waitFor();
      const { messages } = await ann.send('message:list', { timelineId, limit: 10 });
      const [sent] = messages;
      expect(sent?.files?.map(({ name, alt }) => [name, alt])).to.deep.equal([
        ['b.txt', undefined],
        ['a.png', 'A pot of tea'],
        ['c.txt', undefined],
      ]);
    });

  it('are listed with the keys that move them', async () => {
    const page = await open();
    await page.keyboard.press('ControlOrMeta+/');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('On an attached file: move it').waitFor();
    await list.getByText('In a player: back / forward').waitFor();
    await list.getByText('Previous / next picture').waitFor();
    await list.getByText('Move a zoomed picture').waitFor();
    await expectAccessible(page);
  });

  it('are retried by the button of one that failed, once there is space', async () => {
    const page = await open();
    // Begun, so that their bytes are counted. Canceling returns them.
    const first = await ann.send('file:begin', { timelineId, name: 'a.txt', size: 900_000 });
    await ann.send('file:begin', { timelineId, name: 'b.txt', size: 900_000 });
    await attach(page, 'large.txt', Buffer.alloc(300_000, 'tea'));
    await tiles(page)
      .getByRole('alert')
      .getByText('You can upload only 200 kB more today.')
      .waitFor();
    await saveScreenshots(page, 'tile-failed');
    await expectAccessible(page);
    const again = page.getByRole('button', { name: 'Try large.txt again' });
    await ann.send('file:delete', { fileId: first.fileId });
    await again.click();
    await tiles(page).getByText('300 kB', { exact: true }).waitFor();
    await until(async () => (await again.count()) === 0);
    await say(page, 'There it is');
    await inState(message(page, 'There it is'), 'sent').waitFor();
    await message(page, 'large.txt').waitFor();
  });

  describe('while they are uploaded', () => {
    const halfway = async (from: 'file:begin' | 'file:chunk') => {
      const { page } = await openBrowser(app, { as: ann, path: undefined });
      const chunks = await heldChunks(page, from);
      await page.goto(app.url + path);
      await composer(page).waitFor();
      chunks.hold(from === 'file:chunk' ? 5 : 0);
      await attach(page, 'list.txt', Buffer.alloc(600_000, 'tea'));
      return { page, chunks };
    };
    const left = async () => (await ann.send('file:allowance', {})).today.left;
    const answered = async (command: string) => {
      const { values } = await app.node.metrics.commands.get();
      return values
        .filter(({ labels }) => labels.command === command && labels.result === 'ok')
        .reduce((max, { value }) => Math.max(max, value), 0);
    };
    const remove = async (page: Page) => {
      await page.getByRole('button', { name: 'Remove list.txt' }).click();
      await tiles(page).waitFor({ state: 'detached' });
    };

    it('show their progress; if removed, they use only the arrived bytes of the daily allowance', async () => {
      const before = await left();
      const { page } = await halfway('file:chunk');
      const bar = page.getByRole('progressbar', { name: 'Uploading list.txt' });
      await tiles(page).getByText('Uploading, 51 %').waitFor();
      expect(Number(await bar.getAttribute('value'))).to.be.within(300_000, 310_000);
      await saveScreenshots(page, 'tile-uploading');
      await expectAccessible(page);
      expect(await left()).to.equal(before - 600_000);
      const deletions = await answered('file:delete');
      await remove(page);
      await until(async () => (await answered('file:delete')) > deletions);
      expect(await left()).to.equal(before - 5 * limits.fileChunkBytes);
    });

    it('leave no trace when they are removed before the server has answered', async () => {
      const before = await left();
      const { page, chunks } = await halfway('file:begin');
      const deletions = await answered('file:delete');
      await remove(page);
      expect(await left()).to.equal(before);
      chunks.letGo();
      await until(async () => (await answered('file:delete')) > deletions);
      expect(await left()).to.equal(before);
    });
  });

  for (const width of firstAtLength([1_280, 390]))
    it(`show their limits beside the button on hover and focus, at ${width} pixels`, async () => {
      const page = await open(width);
      const button = page.getByRole('button', { name: 'Attach files' });
      const hint = page.getByRole('tooltip');
      expect(await hint.count()).to.equal(0);
      await button.hover();
      await hint.getByText(allowance).waitFor();
      await hint.hover();
      await hint.getByText(allowance).waitFor();
      await saveScreenshots(page, `limits-${width}`);
      await expectAccessible(page);
      await composer(page).hover();
      await hint.waitFor({ state: 'hidden' });
      await composer(page).focus();
      await tabTo(page, 'Attach files');
      await hint.getByText(allowance).waitFor();
      await until(async () => (await button.getAttribute('aria-describedby')) !== null);
      await page.keyboard.press('Escape');
      await hint.waitFor({ state: 'hidden' });
    });

  it('show their limits on a phone’s sheet', async () => {
    const { page } = await openBrowser(app, {
      as: ann,
      path,
      width: 390,
      height: 844,
      touch: true,
    });
    await page.getByRole('button', { name: 'Attach files' }).tap();
    await page.getByRole('dialog', { name: 'Attach' }).getByText(allowance).waitFor();
    await saveScreenshots(page, 'limits-phone');
    await expectAccessible(page);
  });
});
