import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  messages,
  openBrowser,
} from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';

describe('writing', () => {
  let app: TestApp;
  let ann: Person;
  let path: string;
  let timelineId: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async () => (await openBrowser(app, { as: ann, path })).page;
  const written = (page: Page) => composer(page).inputValue();
  const select = (page: Page, from: number, to: number) =>
    composer(page).evaluate(
      (field: HTMLTextAreaElement, [from, to]) => {
        field.setSelectionRange(from, to);
      },
      [from, to] as const,
    );
  const picture = (page: Page, name: string) =>
    process.env.PICTURES
      ? page.screenshot({ path: `${process.env.PICTURES}/${name}.png` })
      : undefined;

  it('formats the selection by keys, and undoes it by keys', async () => {
    const page = await see();
    await composer(page).fill('one two three');
    await select(page, 4, 7);
    await page.keyboard.press('Control+b');
    expect(await written(page)).to.equal('one **two** three');
    await page.keyboard.press('Control+i');
    expect(await written(page)).to.equal('one ***two*** three');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    expect(await written(page)).to.equal('one two three');
    await select(page, 0, 3);
    await page.keyboard.press('Control+Shift+c');
    expect(await written(page)).to.equal('`one` two three');
    await select(page, 6, 9);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('https://a.example');
    expect(await written(page)).to.equal('`one` [two](https://a.example) three');
    expect(await page.getByRole('dialog').count(), 'nobody wanted to jump').to.equal(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
  });

  it('never hides its newest line, however many there are, wide or narrow', async () => {
    const page = await see();
    const field = composer(page);
    for (const [width, height] of [
      [1_280, 800],
      [390, 664],
    ] as const) {
      await page.setViewportSize({ width, height });
      await field.fill('');
      for (let line = 1; line <= 40; line += 1) {
        await page.keyboard.insertText(`line ${line}`);
        const { bottom, hidden } = await field.evaluate((textarea: HTMLTextAreaElement) => {
          const { paddingBottom, lineHeight, fontSize } = getComputedStyle(textarea);
          const below = textarea.scrollHeight - textarea.clientHeight - textarea.scrollTop;
          const [padding = 0, line = 0, letters = 0] = [paddingBottom, lineHeight, fontSize].map(
            Number.parseFloat,
          );
          return {
            bottom: textarea.getBoundingClientRect().bottom,
            // Below the letters there are only the line's leading and the padding. A slow browser scrolls only to the
            // caret, which is as high as the letters.
            hidden: below - padding - (line - letters) / 2,
          };
        });
        expect(bottom, `line ${line}`).to.be.at.most(height);
        expect(hidden, `line ${line}`).to.be.at.most(0);
        await page.keyboard.press('Shift+Enter');
      }
    }
    await field.fill('');
  });

  it('inserts a line break with Enter while a code fence is open, and sends once it is closed', async () => {
    const page = await see();
    await composer(page).focus();
    await page.keyboard.type('So:\n'.trim());
    await page.keyboard.press('Shift+Enter');
    for (const line of ['```js', 'const a = 1;', '```']) {
      await page.keyboard.type(line);
      if (line !== '```') await page.keyboard.press('Enter');
    }
    expect(await written(page)).to.equal('So:\n```js\nconst a = 1;\n```');
    await page.keyboard.press('Enter');
    await inState(message(page, 'const a = 1;'), 'sent').waitFor();
    await page.keyboard.type('```');
    await page.keyboard.press('Enter');
    await page.keyboard.type('open');
    await page.keyboard.press('Control+Enter');
    await inState(message(page, 'open'), 'sent').waitFor();
  });

  it('adds no second space after a choice from the list', async () => {
    const page = await see();
    await composer(page).fill('Done :tad now');
    await select(page, 9, 9);
    await page.keyboard.press('a');
    await page.getByRole('listbox', { name: 'Emoji' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await written(page)).to.equal('Done 🎉 now');
    await page.keyboard.type(' ');
    expect(await written(page)).to.equal('Done 🎉 now');
    await page.keyboard.type('right ');
    expect(await written(page)).to.equal('Done 🎉 right now');
  });

  it('leaves one marker on each line of a list in which every marker is typed', async () => {
    const page = await see();
    await composer(page).focus();
    for (const line of ['- milk', '- bread', '- eggs']) {
      await page.keyboard.type(line);
      await page.keyboard.press('Shift+Enter');
    }
    expect(await written(page)).to.equal('- milk\n- bread\n- eggs\n- ');
    await composer(page).fill('');
  });

  it('continues a list on a new line, and ends it on an empty one', async () => {
    const page = await see();
    await composer(page).pressSequentially('1. milk');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('bread');
    await page.keyboard.press('Shift+Enter');
    expect(await written(page)).to.equal('1. milk\n2. bread\n3. ');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('done');
    await page.keyboard.press('Enter');
    const row = message(page, 'milk');
    await inState(row, 'sent').waitFor();
    expect(await row.getByRole('listitem').allInnerTexts()).to.deep.equal(['milk', 'bread']);
    const { messages } = await ann.send('message:list', { timelineId });
    expect(messages.at(-1)?.body).to.equal('1. milk\n2. bread\ndone');
  });

  for (const theme of firstAtLength(['light', 'dark']))
    it(`draws tables, tasks and code, ${theme}`, async () => {
      const code = [
        '// Who may?',
        'const most = 20;',
        'export const isFree = (name: string) => !taken.has(`@${name}`);',
      ].join('\n');
      const body = [
        '| Node | Messages/s | State |\n|---|--:|:-:|\n| one | 1,200 | **up** |\n| two | 80 | down |',
        '- [x] Measure it\n- [ ] Mend it',
        `\`\`\`ts\n${code}\n\`\`\``,
        '```nosuchlanguage\nplain <b>text</b>\n```',
      ].join('\n');
      await ann.send('message:send', { timelineId, body });
      const { page } = await openBrowser(app, { as: ann, path, theme });
      const row = messages(page).last();
      const table = row.getByRole('table');
      await table.waitFor();
      expect(await table.getByRole('columnheader').allInnerTexts()).to.deep.equal([
        'Node',
        'Messages/s',
        'State',
      ]);
      expect(await table.getByRole('cell').allInnerTexts()).to.deep.equal([
        'one',
        '1,200',
        'up',
        'two',
        '80',
        'down',
      ]);
      expect(await row.getByRole('img', { name: 'Done' }).count()).to.equal(1);
      expect(await row.getByRole('img', { name: 'To do' }).count()).to.equal(1);
      await row.locator("pre [data-kind='keyword']", { hasText: 'const' }).first().waitFor();
      expect(await row.locator('pre code').first().textContent()).to.equal(code);
      expect(await row.locator('pre code').last().textContent()).to.equal('plain <b>text</b>');
      await expectAccessible(page);
      await picture(page, `markup-${theme}`);
    });

  it('keeps code plain if its worker does not load, and colours the next', async () => {
    const { page, forgive } = await openBrowser(app, { as: ann, path });
    forgive(/worker/);
    let refused = 0;
    await page.route('**/worker-*.js', async (route) => {
      await route.abort();
      refused += 1;
    });
    await ann.send('message:send', { timelineId, body: '```js\nconst lost = 1;\n```' });
    const pre = (text: string) => page.locator('pre', { hasText: text });
    await pre('const lost').waitFor();
    await eventually(() => expect(refused).to.equal(1));
    await page.unroute('**/worker-*.js');
    await ann.send('message:send', { timelineId, body: '```js\nconst found = 1;\n```' });
    await pre('const found').locator("[data-kind='keyword']").waitFor();
    await eventually(async () =>
      expect(await pre('const lost').locator("[data-kind='keyword']").count()).to.equal(0),
    );
  });

  it('colours code however long its worker takes to load', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await page.clock.install();
    const asked = new Promise<Route>((resolve) => {
      void page.route('**/worker-*.js', resolve);
    });
    await ann.send('message:send', { timelineId, body: '```js\nconst late = 1;\n```' });
    const loading = await asked;
    // Longer than the time limit of the reader.
    await page.clock.runFor(10_000);
    await loading.continue();
    const pre = page.locator('pre', { hasText: 'const late' });
    await pre.locator("[data-kind='keyword']").waitFor();
  });

  it('previews text with markup, and returns to it by Esc, the button or a key', async () => {
    const body = '**Late** again:\n- berth 4\n- `crane`';
    for (const [looks, themes] of [
      [{}, ['light', 'dark']],
      [{ width: 390, height: 844, touch: true }, ['dark', 'light']],
    ] as const) {
      const { page } = await openBrowser(app, { as: ann, path, ...looks });
      const button = page.getByRole('button', { name: 'Preview' });
      const shown = page.getByRole('region', { name: 'Preview' });
      const backBy = async (way: () => Promise<void>) => {
        await button.click();
        await shown.and(page.locator(':focus')).waitFor();
        await way();
        await composer(page).and(page.locator(':focus')).waitFor();
        expect(await shown.count()).to.equal(0);
      };
      await composer(page).fill('Late, @nobody, #nowhere, 2 * 3 > 5');
      expect(await button.and(page.locator('[aria-disabled=false]')).count()).to.equal(0);
      await composer(page).fill(body);
      await button.click();
      expect(await shown.locator('strong, li, code').allInnerTexts()).to.deep.equal([
        ...['Late', 'berth 4', 'crane', 'crane'],
      ]);
      for (const theme of firstAtLength(themes)) {
        await page.emulateMedia({ colorScheme: theme });
        await expectAccessible(page);
        await picture(page, `preview-${'width' in looks ? 'phone' : 'wide'}-${theme}`);
      }
      await button.click();
      await backBy(() => page.keyboard.press('Escape'));
      await backBy(() => button.click());
      expect(await written(page)).to.equal(body);
      await backBy(() => page.keyboard.press('!'));
      expect(await written(page)).to.have.length(body.length + 1);
      await button.click();
      await shown.press('Enter');
      await inState(messages(page).last(), 'sent').getByText('again:').waitFor();
      expect(await written(page)).to.equal('');
    }
  });
});
