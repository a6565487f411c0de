import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  openBrowser,
  say,
} from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import { saveScreenshots } from '../support/picture.ts';

const code = ['const a = `**not bold**`;', '', '  return "<b>https://a.example</b>";'].join('\n');
const long = 'x'.repeat(400);

const everything = [
  '# Release 1.4',
  'It is **out**, *finally*, and ~~late~~ with `--force`.',
  '> Does it survive a restart?',
  'Yes.',
  '- nothing lost',
  '- nothing doubled',
  '  1. proven',
  '',
  '```ts',
  code,
  long,
  '```',
  '---',
  'See https://a.example/changes, or [the **bank**](https://evil.example/bank).',
  '<img src=x onerror=alert(1)> [x](javascript:alert(1))',
].join('\n');

describe('Markdown in the page', () => {
  let app: TestApp;
  let page: Page;

  before(async () => {
    app = await startSite();
    ({ page } = await openBrowser(app, { as: await app.person('Ann') }));
    await composer(page).waitFor();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const row = () => message(page, 'Release 1.4');

  it('is drawn formatted, with its plain text as the accessible name', async () => {
    await say(page, everything);
    await row().and(page.locator('[data-state=sent]')).waitFor();
    expect(await row().locator('strong').allInnerTexts()).to.deep.equal(['out', 'bank']);
    expect(await row().locator('em').innerText()).to.equal('finally');
    expect(await row().locator('del').innerText()).to.equal('late');
    expect(await row().locator('blockquote').innerText()).to.equal('Does it survive a restart?');
    expect(await row().locator('ul > li').allInnerTexts()).to.deep.equal([
      'nothing lost',
      'nothing doubled\n\nproven',
    ]);
    expect(await row().getAttribute('aria-label')).to.contain('It is out, finally, and late with');
    expect(await row().locator('img').count()).to.equal(0);
    await expectAccessible(page);
  });

  it('UX-46 keeps code as it is, scrolls it sideways, and copies it', async () => {
    const block = row().locator('pre');
    expect(await block.innerText()).to.equal(`${code}\n${long}`);
    expect(await block.locator('code > :not([data-kind])').count()).to.equal(0);
    expect(await block.evaluate((pre) => pre.scrollWidth > pre.clientWidth)).to.equal(true);
    const within = (element: Element) => element.scrollWidth <= element.clientWidth;
    expect(await page.locator('body').evaluate(within)).to.equal(true);
    await block.focus();
    await page.keyboard.press('End');
    await row().getByRole('button', { name: 'Copy code' }).click();
    await row().getByRole('button', { name: 'Copied code' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(`${code}\n${long}`);
  });

  it('UX-47 opens links in a new tab without a referrer, and shows where masked ones lead', async () => {
    const links = row().getByRole('link');
    expect(await links.evaluateAll((all) => all.map((a) => a.getAttribute('href')))).to.deep.equal([
      'https://a.example/changes',
      'https://evil.example/bank',
    ]);
    for (const link of await links.all()) {
      expect(await link.getAttribute('target')).to.equal('_blank');
      expect(await link.getAttribute('rel')).to.equal('noopener noreferrer nofollow ugc');
    }
    expect(await row().innerText()).to.match(/the bank\s\(evil\.example\)/);
  });

  it('keeps the numbers of a list and takes its direction from its text', async () => {
    const lists =
      '3) eins\n2) zwei\n1) drei\n\n1. אחת\n1. שתיים\n\n   `עוד`\n\n```js title="a.js"\na\n```';
    await say(page, lists);
    const sent = message(page, 'eins').and(page.locator('[data-state=sent]'));
    await sent.waitFor();
    const numbers = await sent
      .locator('li')
      .evaluateAll((items) => items.map((item) => (item as HTMLLIElement).value));
    expect(numbers).to.deep.equal([3, 2, 1, 1, 2]);
    const styles = await sent.locator('ol').evaluateAll((all) =>
      all.map((one) => {
        const { listStyleType, direction } = getComputedStyle(one);
        return [listStyleType, direction];
      }),
    );
    expect(styles[0]?.[0]).not.to.equal(styles[1]?.[0]);
    expect(styles.map(([, direction]) => direction)).to.deep.equal(['ltr', 'rtl']);
    await sent.getByText('js title="a.js"').waitFor();
    await saveScreenshots(page, 'lists');
    await expectAccessible(page);
  });

  it('copies a selected list with its markers, without the labels of buttons', async () => {
    await say(page, 'Groceries\n\n- [x] tea\n- cake\n  3) plum\n  4) lemon\n\n```\ncode\n```');
    const sent = message(page, 'Groceries').and(page.locator('[data-state=sent]'));
    await sent.waitFor();
    const copy = async (from: string) => {
      await sent.locator(from).evaluate((node) => getSelection()?.selectAllChildren(node));
      await page.keyboard.press('ControlOrMeta+c');
      return page.evaluate(() => navigator.clipboard.readText());
    };
    // The code that adds the markers loads with the first selection.
    await eventually(async () =>
      expect(await copy('.text')).to.equal(
        'Groceries\n\n- [x] tea\n- cake\n  3) plum\n  4) lemon\ncode',
      ),
    );
    expect(await copy('ol')).to.equal('3) plum\n4) lemon');
    expect(await copy('ul > li:last-child > p')).to.equal('cake');
  });

  it('shows the beginning of a message with many lines, and all of it on request', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `Row ${i + 1}`);
    await say(page, lines.join('\n'));
    const tall = message(page, 'Row 1').and(page.locator('[data-state=sent]'));
    await tall.getByText('Row 30').waitFor();
    expect(await tall.innerText()).to.not.include('Row 31');
    await saveScreenshots(page, 'folded');
    await expectAccessible(page);
    await tall.getByRole('button', { name: 'Show all 200 lines' }).click();
    await tall.getByText('Row 200').waitFor();
    await tall.getByRole('button', { name: 'Show less' }).click();
    await tall.getByText('Row 200').waitFor({ state: 'hidden' });
    expect(await tall.innerText()).to.not.include('Row 31');
  });

  for (const theme of firstAtLength(['dark', 'light']))
    it(`is legible and fits a phone, ${theme}`, async () => {
      const small = await openBrowser(app, {
        as: await app.person('Ben'),
        width: 390,
        height: 844,
        theme,
        touch: true,
        path: new URL(page.url()).pathname,
      });
      await message(small.page, 'Release 1.4').waitFor();
      await expectAccessible(small.page);
      if (process.env.PICTURES)
        await small.page.screenshot({ path: `${process.env.PICTURES}/markdown-${theme}.png` });
    });
});
