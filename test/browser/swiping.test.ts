import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  eventually,
  expectAccessible,
  longPress,
  message,
  openBrowser,
} from '../support/browser.ts';
import { dragFinger } from '../support/finger.ts';
import type { Person } from '../support/person.ts';

describe('a finger moving over a message', () => {
  let app: TestApp;
  let ann: Person;
  let page: Page;
  let path: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann Archer');
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    const timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    const code = ['```', `crane --berth 4 ${'--late '.repeat(30)}`, '```'].join('\n');
    const rest = Array.from({ length: 12 }, (_, n) => `Berth ${n}\nis free`);
    for (const body of [...rest, code, 'The crane was **late**'])
      await ann.send('message:send', { timelineId, body });
  });
  beforeEach(async () => {
    const looks = { as: ann, path, width: 390, height: 844, touch: true };
    ({ page } = await openBrowser(app, looks));
    await message(page, 'The crane').waitFor();
    // Swipe handling loads after the messages.
    await page.locator('ol[style*=touch-action]').waitFor();
  });
  afterEach(closeWindows);
  after(() => app.close());

  const bar = () => page.getByRole('group', { name: 'Replying to Ann Archer' });

  const left = (row: Locator) => row.evaluate((element) => element.getBoundingClientRect().left);
  const crane = () => message(page, 'The crane');

  it('to the left drags the row, and replies to it', async () => {
    await dragFinger(crane(), {
      x: -90,
      meanwhile: async () => {
        expect(await left(crane())).to.be.below(-50);
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme });
          await expectAccessible(page, 'colours');
          if (process.env.PICTURES)
            await page.screenshot({ path: `${process.env.PICTURES}/swipe-${theme}.png` });
        }
      },
    });
    await bar().getByText('The crane was late').waitFor();
    await eventually(async () => {
      expect(await left(crane())).to.equal(0);
    });
    expect(await page.locator('#composer').evaluate((field) => field.matches(':focus'))).to.equal(
      true,
    );
  });

  it('does nothing if it moves too little, the other way, or back again', async () => {
    for (const way of [{ x: -40 }, { x: 90 }, { x: -90, back: 60 }]) {
      await dragFinger(crane(), way);
      expect(await bar().count(), JSON.stringify(way)).to.equal(0);
    }
    await dragFinger(crane(), { x: -90 });
    await bar().waitFor();
  });

  it('moves nothing with reduced motion, and still replies', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await dragFinger(crane(), {
      x: -90,
      meanwhile: async () => {
        expect(await left(crane())).to.equal(0);
      },
    });
    await bar().waitFor();
  });

  it('up and down scrolls, however slanted', async () => {
    const before = (await crane().boundingBox())!.y;
    await dragFinger(message(page, 'Berth 9'), { x: -60, y: 240 });
    await eventually(async () => {
      expect((await crane().boundingBox())!.y).to.be.above(before + 100);
    });
    expect(await bar().count()).to.equal(0);
  });

  it('sideways over a wide block of code scrolls that', async () => {
    const code = page.locator('pre').first();
    await dragFinger(code, { x: -120 });
    await eventually(async () => {
      expect(await code.evaluate((pre) => pre.scrollLeft)).to.be.above(50);
    });
    expect(await bar().count()).to.equal(0);
  });

  it('opens its actions if held', async () => {
    const sheet = page.getByRole('dialog', { name: 'Message', exact: true });
    await longPress(crane().locator('.text'), sheet);
    expect(await bar().count()).to.equal(0);
  });
});
