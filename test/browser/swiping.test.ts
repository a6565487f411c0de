/** A finger that goes to the left over a message replies to it; whatever else it does is left to the browser. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  eventually,
  expectAccessible,
  longPress,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('a finger that goes over a message', () => {
  let app: TestApp;
  let ann: Person;
  let page: Page;
  let path: string;

  before(async () => {
    app = await startApp();
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
    // What knows swipes comes after the messages.
    await page.locator('ol[style*=touch-action]').waitFor();
  });
  afterEach(closeWindows);
  after(() => app.close());

  const bar = () => page.getByRole('group', { name: 'Replying to Ann Archer' });

  interface Drag {
    /** How far from where the finger came down, in px. */
    x?: number;
    y?: number;
    /** And from there, before it is lifted. */
    back?: number;
    meanwhile?: () => Promise<void>;
  }
  async function drag(target: Locator, { x = 0, y = 0, back = 0, meanwhile }: Drag) {
    const box = (await target.boundingBox())!;
    const from = { x: Math.min(box.x + box.width / 2, 240), y: box.y + box.height / 2 };
    const finger = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove', right: number, down: number) =>
      finger.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: [{ x: from.x + right, y: from.y + down }],
      });
    await touch('touchStart', 0, 0);
    for (let step = 1; step <= 10; step += 1)
      await touch('touchMove', (x * step) / 10, (y * step) / 10);
    if (back > 0) await touch('touchMove', x + back, y);
    await meanwhile?.();
    await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await finger.detach();
  }
  const left = (row: Locator) => row.evaluate((element) => element.getBoundingClientRect().left);
  const crane = () => message(page, 'The crane');

  it('to the left takes the row along, and replies to it', async () => {
    await drag(crane(), {
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

  it('leaves it as it was when it goes too little, the other way, or back again', async () => {
    for (const way of [{ x: -40 }, { x: 90 }, { x: -90, back: 60 }]) {
      await drag(crane(), way);
      expect(await bar().count(), JSON.stringify(way)).to.equal(0);
    }
    await drag(crane(), { x: -90 });
    await bar().waitFor();
  });

  it('moves nothing where no motion is wanted, and replies all the same', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await drag(crane(), {
      x: -90,
      meanwhile: async () => {
        expect(await left(crane())).to.equal(0);
      },
    });
    await bar().waitFor();
  });

  it('up and down scrolls, however slanted', async () => {
    const before = (await crane().boundingBox())!.y;
    await drag(message(page, 'Berth 9'), { x: -60, y: 240 });
    await eventually(async () => {
      expect((await crane().boundingBox())!.y).to.be.above(before + 100);
    });
    expect(await bar().count()).to.equal(0);
  });

  it('sideways over a wide block of code scrolls that', async () => {
    const code = page.locator('pre').first();
    await drag(code, { x: -120 });
    await eventually(async () => {
      expect(await code.evaluate((pre) => pre.scrollLeft)).to.be.above(50);
    });
    expect(await bar().count()).to.equal(0);
  });

  it('stays, and brings what can be done with it', async () => {
    const sheet = page.getByRole('dialog', { name: 'Message', exact: true });
    await longPress(crane().locator('.text'), sheet);
    expect(await bar().count()).to.equal(0);
  });
});
