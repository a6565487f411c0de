import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  inState,
  message,
  openBrowser,
  type Looks,
} from '../support/browser.ts';
import { upload } from '../support/files.ts';
import { firstAtLength } from '../support/length.ts';
import { openAccount, turnTo } from './screens/screen.ts';
import type { Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

const phone: Looks = { width: 390, height: 844, touch: true };

describe('bringing files', () => {
  let app: TestApp;
  let owner: Person;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;
  let folder: string;

  before(async () => {
    app = await startSite({
      PARLEY_RATE_SCALE: '1',
      PARLEY_FILE_MB: '1',
      PARLEY_FILE_DAY_MB: '2',
      PARLEY_FILES_GB: '1',
    });
    folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
    owner = await app.owner();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  const open = async (as: Person, looks: Looks = {}) => {
    const { page } = await openBrowser(app, { as, path, ...looks });
    await composer(page).waitFor();
    return page;
  };
  const tiles = (page: Page) => page.getByRole('list', { name: 'Files to send' });
  const onDisk = async (name: string, bytes: Buffer) => {
    const file = join(folder, name);
    await writeFile(file, bytes);
    return file;
  };
  const png = () => picture(300, 200).png().toBuffer();
  const seesPicture = (page: Page, name: string) =>
    page.waitForFunction(
      (name) =>
        [...document.querySelectorAll<HTMLImageElement>('article img')].some(
          ({ alt, complete, naturalWidth }) => alt === name && complete && naturalWidth > 0,
        ),
      name,
    );
  const look = async (page: Page, name: string) => {
    const { PICTURES } = process.env;
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
  };
  const sentBy = (page: Page) => {
    const frames: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => frames.push(String(payload).slice(0, 200))),
    );
    return frames;
  };

  async function drag(page: Page, files: string[], steps: ('dragEnter' | 'dragOver' | 'drop')[]) {
    const hand = await page.context().newCDPSession(page);
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of steps)
      await hand.send('Input.dispatchDragEvent', { type, x: 600, y: 300, data });
    await hand.detach();
  }

  it('a pasted screenshot is seen by the other person', async () => {
    const [hers, his] = [await open(ann), await open(ben)];
    const bytes = (await png()).toString('base64');
    await hers.evaluate(async (bytes) => {
      const blob = new Blob([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], {
        type: 'image/png',
      });
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
    }, bytes);
    await composer(hers).fill('Look');
    await hers.keyboard.press('ControlOrMeta+V');
    await tiles(hers).getByText('image.png').waitFor();
    await look(hers, 'pasted');
    await hers.keyboard.press('Enter');
    await inState(message(hers, 'Look'), 'sent').waitFor();
    await seesPicture(his, 'image.png');
  });

  it('a file copied with its name is attached; rich text with its picture stays text', async () => {
    const hers = await open(ann);
    const bytes = (await png()).toString('base64');
    const paste = async (texts: Record<string, string>) => {
      await hers.evaluate(
        async ([bytes, texts]) => {
          const image = Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0));
          const parts = { 'image/png': new Blob([image], { type: 'image/png' }) };
          for (const [type, text] of Object.entries(texts))
            Object.assign(parts, { [type]: new Blob([text], { type }) });
          await navigator.clipboard.write([new ClipboardItem(parts)]);
        },
        [bytes, texts] as const,
      );
      await composer(hers).focus();
      await hers.keyboard.press('ControlOrMeta+V');
    };
    await paste({ 'text/plain': 'a table', 'text/html': '<b>a table</b>' });
    await until(async () => (await composer(hers).inputValue()) === 'a table');
    expect(await tiles(hers).count()).to.equal(0);
    await composer(hers).fill('');
    await paste({ 'text/plain': 'plan.png' });
    await tiles(hers).getByText('image.png').waitFor();
    expect(await composer(hers).inputValue()).to.equal('');
  });

  it('a file dragged over the window shows where it will be shared, and is attached on drop', async () => {
    const [hers, his] = [await open(ann), await open(ben, phone)];
    const file = await onDisk('plan.png', await png());
    await drag(hers, [file], ['dragEnter', 'dragOver']);
    await hers.getByText('Drop to share in').waitFor();
    await hers.getByText('Files can be up to 1 MB. You can upload 2 MB more today.').waitFor();
    await look(hers, 'dragged');
    await expectAccessible(hers);
    await drag(hers, [file], ['dragOver', 'drop']);
    await hers.getByText('Drop to share in').waitFor({ state: 'detached' });
    await tiles(hers).getByText('plan.png').waitFor();
    await composer(hers).press('Enter');
    await seesPicture(his, 'plan.png');
  });

  it('on a phone they are chosen, several at a time, or taken by its camera', async () => {
    const [his, hers] = [await open(ben, phone), await open(ann)];
    const asked = async (button: string) => {
      await his.getByRole('button', { name: 'Attach files' }).tap();
      await his.getByRole('dialog', { name: 'Attach' }).waitFor();
      await expectAccessible(his);
      await look(his, 'phone-attach');
      const [chooser] = await Promise.all([
        his.waitForEvent('filechooser'),
        his.getByRole('button', { name: button }).tap(),
      ]);
      const how = await chooser.element().evaluate((field) => {
        const { attributes } = field as HTMLInputElement;
        const [accept, capture] = ['accept', 'capture'].map((name) =>
          attributes.getNamedItem(name),
        );
        return { accept: accept?.value, capture: capture?.value };
      });
      return { chooser, how };
    };
    await look(his, 'phone-composer');
    const some = await asked('Choose files');
    expect([some.chooser.isMultiple(), some.how]).to.deep.equal([
      true,
      { accept: undefined, capture: undefined },
    ]);
    await some.chooser.setFiles([
      await onDisk('a.png', await png()),
      await onDisk('b.txt', Buffer.from('tea')),
    ]);
    const { chooser, how } = await asked('Take a photo');
    expect(how).to.deep.equal({ accept: 'image/*', capture: 'environment' });
    await chooser.setFiles(await onDisk('photo.jpg', await picture(400, 300).jpeg().toBuffer()));
    await tiles(his).getByText('photo.jpg').waitFor();
    await expectAccessible(his);
    await look(his, 'phone-tiles');
    await his.getByRole('button', { name: 'Send' }).tap();
    await seesPicture(hers, 'photo.jpg');
    await message(hers, 'b.txt').waitFor();
    // Without touch, the file chooser opens at once.
    const chosen = hers.waitForEvent('filechooser');
    await hers.getByRole('button', { name: 'Attach files' }).click();
    expect((await chosen).isMultiple()).to.equal(true);
  });

  it('a file over the rest of the daily allowance is declined at once, with the amount left, and no byte of it is sent', async () => {
    await upload(ann, timelineId, Buffer.alloc(900_000, 'tea'), 'a.txt');
    await upload(ann, timelineId, Buffer.alloc(900_000, 'tea'), 'b.txt');
    const { page } = await openBrowser(app, { as: ann, path: undefined });
    const frames = sentBy(page);
    await page.goto(app.url + path);
    await composer(page).waitFor();
    const [large, small] = [
      await onDisk('large.txt', Buffer.alloc(300_000, 'tea')),
      await onDisk('small.txt', Buffer.alloc(100_000, 'tea')),
    ];
    await drag(page, [large], ['dragEnter', 'dragOver']);
    await page.getByText('You can upload 200 kB more today.').waitFor();
    await drag(page, [large], ['drop']);
    await tiles(page)
      .getByRole('alert')
      .getByText('You can upload only 200 kB more today.')
      .waitFor();
    await expectAccessible(page);
    await look(page, 'too-much-today');
    expect(frames.filter((one) => one.includes('file:chunk'))).to.deep.equal([]);
    await page.getByRole('button', { name: 'Remove large.txt' }).click();
    await drag(page, [small], ['dragEnter', 'dragOver', 'drop']);
    await tiles(page).getByText('100 kB').waitFor();
    expect(frames.filter((one) => one.includes('file:chunk'))).to.not.deep.equal([]);
  });

  for (const [width, theme] of firstAtLength([
    [390, 'dark'],
    [1_280, 'light'],
  ]))
    it(`settings show the daily allowance, and the stored files to people who run the instance, at ${width} pixels`, async () => {
      await upload(ann, timelineId, Buffer.alloc(500_000, 'tea'), 'a.txt');
      const openFiles = async (as: Person, at: string) => {
        const { page } = await openBrowser(app, { as, path: at, width, theme });
        await composer(page).waitFor();
        await openAccount(page, width === 390, 'Settings');
        await turnTo(page, 'Files');
        return page;
      };
      const hers = await openFiles(ann, path);
      const dialog = hers.getByRole('dialog').last();
      await dialog.getByText('500 kB of 2 MB').waitFor();
      await dialog.getByText(/Your limit renews tomorrow, \d\d:\d\d\./).waitFor();
      expect(await dialog.getByText('All files').count()).to.equal(0);
      await expectAccessible(hers);
      await look(hers, `files-page-${width}`);
      const { servers } = await owner.send('server:list', {});
      const theirs = await openFiles(owner, `/s/${servers[0]!.id}/${servers[0]!.defaultChannelId}`);
      const stored = theirs.getByRole('dialog').last();
      await stored.getByText(/ of 1 GB$/).waitFor();
      const uploader = stored
        .getByRole('list', { name: 'Largest uploaders' })
        .getByRole('listitem');
      await uploader.filter({ hasText: ann.user.username! }).getByText('500 kB').waitFor();
      await expectAccessible(theirs);
      await look(theirs, `files-page-owner-${width}`);
    });
});
