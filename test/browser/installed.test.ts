import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';

/** Simulates Chromium’s event when the manifest is added, because a test cannot predict when Chromium sends it. */
const offersInstall = `new MutationObserver((_, observer) => {
  if (!document.querySelector('link[rel=manifest]')) return;
  observer.disconnect();
  const event = new Event('beforeinstallprompt', { cancelable: true });
  event.prompt = async () => {
    globalThis.asked = (globalThis.asked ?? 0) + 1;
    return { outcome: 'accepted' };
  };
  dispatchEvent(event);
  globalThis.isKept = event.defaultPrevented;
}).observe(document, { childList: true, subtree: true });`;

describe('the installed app', () => {
  let app: TestApp;
  let ann: Person;
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
    ann = await app.person('Ann');
    place = await openPlace(ann);
  });
  afterEach(closeWindows);
  after(() => app.close());

  const path = () => `/s/${place.serverId}/${place.channelId}`;
  const card = (page: Page) => page.getByRole('region', { name: 'Install Parley' });

  async function visit(days: number, as = ann, looks = {}) {
    const { page } = await openBrowser(app, { as, path: undefined, ahead: true, ...looks });
    await page.addInitScript(offersInstall);
    await page.goto(app.url + path());
    await composer(page).waitFor();
    await page.evaluate((days) => {
      const used = Array.from({ length: days }, (_, i) => `day ${i}`);
      localStorage.setItem('parley.install', JSON.stringify({ days: used }));
    }, days);
    await page.reload();
    await composer(page).waitFor();
    return page;
  }
  /** Waits for what starts some time after the sign-in. */
  const settled = (page: Page) =>
    page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/background-')),
    );
  const daysOn = (page: Page) =>
    page.evaluate(
      () =>
        (JSON.parse(localStorage.getItem('parley.install') ?? '{}') as { days: [] }).days.length,
    );

  it('is offered on the third day, and not again after Not now', async () => {
    const page = await visit(1);
    await eventually(async () => expect(await daysOn(page)).to.equal(2));
    expect(await page.evaluate('isKept')).to.equal(true);
    expect(await card(page).count()).to.equal(0);
    await page.evaluate(() => {
      localStorage.setItem('parley.install', JSON.stringify({ days: ['day 0', 'day 1'] }));
    });
    await page.reload();
    await card(page).waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'install');
    await card(page).getByRole('button', { name: 'Not now' }).click();
    await card(page).waitFor({ state: 'detached' });
    await page.reload();
    await composer(page).waitFor();
    await settled(page);
    expect(await card(page).count()).to.equal(0);
  });

  it('opens the browser’s install prompt on a phone', async () => {
    const page = await visit(2, ann, { width: 390, height: 844, touch: true });
    await card(page).waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'install-phone');
    await card(page).getByRole('button', { name: 'Install…' }).tap();
    await card(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('asked')).to.equal(1);
  });

  it('puts what another app shares into the draft of the chosen place', async () => {
    const { page } = await openBrowser(app, { as: ann, path: path(), ahead: true });
    await composer(page).fill('Look:');
    await eventually(async () =>
      expect(await page.evaluate(() => navigator.serviceWorker.controller?.state)).to.equal(
        'activated',
      ),
    );
    await page.evaluate(() => {
      const form = document.createElement('form');
      Object.assign(form, { method: 'POST', action: '/share', enctype: 'multipart/form-data' });
      const texts = { title: 'A page', text: 'A page https://example.org/1', url: '' };
      for (const [name, value] of Object.entries(texts)) {
        const field = Object.assign(document.createElement('input'), { name, value });
        form.append(field);
      }
      const files = new DataTransfer();
      files.items.add(new File(['some notes'], 'notes.txt', { type: 'text/plain' }));
      const field = Object.assign(document.createElement('input'), { type: 'file', name: 'files' });
      field.files = files.files;
      form.append(field);
      document.body.append(form);
      form.submit();
    });
    const dialog = page.getByRole('dialog', { name: 'Share to' });
    await dialog.getByText('notes.txt · A page https://example.org/1').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'share');
    await dialog.getByRole('option', { name: /^general/ }).click();
    await page.getByText('notes.txt').waitFor();
    expect(await composer(page).inputValue()).to.equal('Look:\nA page https://example.org/1');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: /example\.org/ }).waitFor();
    await page.goto(`${app.url}/?shared`);
    await composer(page).waitFor();
    expect(await dialog.count()).to.equal(0);
  });
});
