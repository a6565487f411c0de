import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { checkComplaints, closeWindows, eventually, openBrowser } from '../support/browser.ts';

type Attempt = [what: string, attempt: () => void, complaint: RegExp];

const attempts: Attempt[] = [
  [
    'an inline script',
    () => {
      const script = document.createElement('script');
      script.append('globalThis.harmed = 1');
      document.body.append(script);
    },
    /forbade (script-src|require-trusted-types-for)/,
  ],
  [
    'a script of another place',
    () => {
      const script = document.createElement('script');
      script.setAttribute('src', 'data:text/javascript,harmed=1');
      document.body.append(script);
    },
    /forbade (script-src|require-trusted-types-for)/,
  ],
  [
    'text as HTML',
    () => {
      const anything: { innerHTML: string } = document.body.appendChild(
        document.createElement('p'),
      );
      anything.innerHTML = '<img src=x onerror=harmed=1>';
    },
    /forbade require-trusted-types-for/,
  ],
  [
    'text as a program',
    () => {
      (globalThis as unknown as { setTimeout: (text: string) => void }).setTimeout('harmed=1');
    },
    /forbade (script-src|require-trusted-types-for)/,
  ],
  [
    'an inline style',
    () => {
      const style = document.createElement('style');
      style.append('#app { display: none }');
      document.head.append(style);
    },
    /forbade style-src/,
  ],
  [
    'a style in an attribute',
    () => document.body.setAttribute('style', 'display: none'),
    /forbade style-src/,
  ],
  ['an error on the console', () => console.error('oh dear'), /oh dear/],
];

describe('the policy', () => {
  let app: TestApp;
  let page: Page;
  before(async () => {
    app = await startSite();
    ({ page } = await openBrowser(app));
    await page.getByLabel('Your name').waitFor();
  });
  after(closeWindows);
  after(() => app.close());

  for (const [what, attempt, complaint] of attempts)
    it(`leaves ${what} without effect, and fails the test`, async () => {
      // The browser throws at some attempts, and is silent at others.
      await page.evaluate(attempt).catch(() => undefined);
      await eventually(() => expect(checkComplaints).to.throw(complaint));
      expect(await page.evaluate(() => 'harmed' in globalThis)).to.equal(false);
      expect(await page.locator('#app').isVisible()).to.equal(true);
      // Late complaints of this attempt must not be taken for those of the next.
      await page.waitForTimeout(200);
      try {
        checkComplaints();
      } catch {
        // The browser can complain more than once of the same attempt.
      }
    });
});
