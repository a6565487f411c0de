import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { plainType } from '../../shared/file-types.ts';
import type { File } from '../../shared/files.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
} from '../support/browser.ts';
import { bombs, damaged, liars, type Named } from '../support/damaged-files.ts';
import { upload } from '../support/files.ts';
import { atLength } from '../support/length.ts';
import { film, tone } from '../support/media.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { bomb, picture } from '../support/pictures.ts';
import { openPlace } from '../support/place.ts';

/** Small files that decode to more memory than a picture may take. */
const bursting = ['wide and high.png', 'a little too large.png', 'flickers.gif'];

describe('damaged files', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;
  let all: Named;

  before(async () => {
    app = await startSite({ PARLEY_FILE_MB: '1' });
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { serverId, channelId } = await openPlace(ann, ben);
    timelineId = channelId;
    path = `/s/${serverId}/${channelId}`;
    all = [...(await bombs()), ...(await liars()), ...(await damaged(1))].filter(
      ([name], i) => i % atLength(6, 1) === 0 || bursting.includes(name),
    );
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('are refused for an impossible size, before anything is stored', async () => {
    for (const size of [0, -1, 0.5, 2 ** 53, '3', null, 1_000_001]) {
      const begun = { timelineId, name: 'tea.webm', size: size as number };
      const { code, field, message: said } = await ann.expectError('file:begin', begun);
      expect({ code, field }, String(size)).to.deep.equal({ code: 'invalid', field: 'size' });
      if (size === 0) expect(said).to.equal('This file is empty.');
      if (size === 1_000_001) expect(said).to.equal('Files can be up to 1 MB.');
    }
  });

  it('harm no reader: each is a picture, plays, or is a file to download', async () => {
    const { lots, files } = await sendAll(all);
    expect(all.length).to.be.above(atLength(8, 50));
    // Files that decode to too much memory are no pictures, and neither are most that are cut short.
    const typeOf = new Map(files.map(({ name, type }) => [name, type]));
    for (const name of bursting) expect(typeOf.get(name), name).to.equal(plainType);
    const { page } = await openBrowser(app, { as: ben, path });
    let crashes = 0;
    page.on('crash', () => (crashes += 1));
    const shown = { picture: 0, plays: 0, file: 0 };
    for (const [lot, sent] of lots.entries()) {
      const row = message(page, `Lot ${lot}.`);
      await row.scrollIntoViewIfNeeded();
      for (const file of sent) shown[await shownAs(row, file)] += 1;
      if (lot < 3) await saveScreenshots(page, `damaged-${lot}`);
      await expectAccessible(page);
      // The page still responds.
      await say(page, `Seen ${lot}.`);
      await inState(message(page, `Seen ${lot}.`), 'sent').waitFor();
    }
    for (const [how, times] of Object.entries(shown))
      expect(times, how).to.be.above(atLength(0, 5));
    expect(crashes).to.equal(0);
  });

  it('harm no sender, and are sent with their actual type', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    const chosen = (await damaged(1)).filter(([name]) =>
      /^cut.*(png|jpeg|moving.gif|wav)/.test(name),
    );
    const own: Named = [
      ['bomb.png', bomb(22_000, 22_000)],
      // Not the files that are refused only while they are read: several of them delay the others for long.
      ...(await bombs()).filter(([name]) => name.startsWith('wide')),
      ...chosen,
    ];
    await choose(page, own);
    const tiles = page.getByRole('list', { name: 'Files to send' });
    await eventually(async () => {
      const states = await tiles.locator('.state').allInnerTexts();
      const unfinished = states.filter((state) => !/^\d+(\.\d)? (bytes|kB)$/.test(state));
      expect(unfinished).to.deep.equal([]);
      expect(states).to.have.lengthOf(own.length);
    });
    await expectAccessible(page);
    await saveScreenshots(page, 'damaged-tiles');
    await say(page, 'My lot.');
    const row = inState(message(page, 'My lot.'), 'sent');
    await row.waitFor();
    await row.getByRole('link', { name: /^bomb\.png/ }).waitFor();
    await say(page, 'Still here.');
    await inState(message(page, 'Still here.'), 'sent').waitFor();
  });

  it('are declined with the reason if too large or empty, regardless of their type', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await composer(page).waitFor();
    for (const [name, bytes] of [
      ['large.png', await large('png')],
      ['large.wav', tone(11)],
      ['large.webm', Buffer.concat([await film(2), Buffer.alloc(1_000_000)])],
    ] as const) {
      expect(bytes.length).to.be.above(1_000_000);
      await choose(page, [[name, bytes]]);
      await page.getByRole('status').getByText('is larger than 1 MB.').waitFor();
      await page.keyboard.press('Escape');
    }
    await choose(page, [['none.png', Buffer.alloc(0)]]);
    await page.getByRole('status').getByText('is empty.').waitFor();
    expect(await page.getByRole('list', { name: 'Files to send' }).count()).to.equal(0);
  });

  async function sendAll(named: Named) {
    const lots: File[][] = [];
    for (let i = 0; i < named.length; i += 10) {
      const files = await Promise.all(
        named.slice(i, i + 10).map(([name, bytes]) => upload(ann, timelineId, bytes, name)),
      );
      const body = `Lot ${lots.length}.`;
      await ann.send('message:send', { timelineId, body, files: files.map(({ id }) => ({ id })) });
      lots.push(files);
    }
    return { lots, files: lots.flat() };
  }
});

/** A picture of noise, which no format can compress. */
const large = async (format: 'png') =>
  picture(800, 800)
    .composite([
      {
        input: { create: { width: 800, height: 800, channels: 3, background: 'red', noise } },
      },
    ])
    .toFormat(format)
    .toBuffer();
const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;

const choose = (page: Page, files: Named) =>
  page
    .getByLabel('Files to attach')
    .setInputFiles(files.map(([name, buffer]) => ({ name, mimeType: typeBy(name), buffer })));

/** The type that a browser derives from the extension. */
const typeBy = (name: string) => {
  const ending = name.split('.').at(-1)!;
  const kind = { wav: 'audio', webm: 'video' }[ending] ?? 'image';
  return `${kind}/${ending}`;
};

/** How a row shows a file, once loaded or failed. Media that cannot be played become files to download. */
async function shownAs(row: Locator, { name, type }: File): Promise<'picture' | 'plays' | 'file'> {
  const link = row.getByRole('link', { name: new RegExp(`^${escaped(name)} `) });
  const image = row.getByRole('img', { name, exact: true });
  const player = row.locator(`:is(audio, video)[aria-label="${name}"]`);
  const one = link.or(image).or(player).first();
  await one.scrollIntoViewIfNeeded();
  if (type.startsWith('image/'))
    await eventually(async () => {
      expect(await image.evaluate((img: HTMLImageElement) => img.naturalWidth), name).to.be.above(
        0,
      );
    });
  if ((await image.count()) > 0) return 'picture';
  if ((await player.count()) === 0) return (await link.waitFor(), 'file');
  const plays = await player.evaluate(playing).catch(() => false);
  if (plays) return 'plays';
  await link.waitFor();
  return 'file';
}

const escaped = (name: string) => name.replace(/[.]/g, '\\.');

/** Plays it muted, as far as possible. False if it cannot be played. */
const playing = async (player: HTMLMediaElement) => {
  player.muted = true;
  // A browser may pause media out of sight, which is no failure.
  await player.play().catch(() => undefined);
  player.pause();
  return player.error === null;
};
