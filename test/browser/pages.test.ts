/** Every screen, in both themes, wide and narrow: axe finds nothing, and nothing scrolls sideways. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  message,
  openBrowser,
  type Looks,
  type Window,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

const looks: Looks[] = (['light', 'dark'] as const).flatMap((theme) => [
  { theme, width: 1_280, height: 800 },
  { theme, width: 390, height: 844, touch: true },
]);

const hostile = [
  '<img src=x onerror="window.hacked = 1">',
  '<script>window.hacked = 1</script>',
  '"><svg onload="window.hacked = 1">',
  '{@html "<b>hi</b>"} ${window.hacked = 1}',
  'javascript:window.hacked=1',
  '[click](javascript:window.hacked=1)',
];

describe('pages', function () {
  this.timeout(120_000);
  let app: TestApp;
  let ann: Person;
  let serverId: string;
  let general: string;
  let side: string;
  let code: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Maximiliana Freifrau von Hohenstein-Wittelsbach');
    const { server } = await ann.send('server:create', { name: 'Fjord Labs' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const made = await ann.send('channel:create', {
      serverId,
      name: 'softwareentwicklung-und-abnahme',
      topic: 'Cluster, gateway and storage',
    });
    side = made.channel.id;
    await ann.send('channel:create', { serverId, name: 'مكتب-عمّان' });
    code = (await ann.send('invite:create', { serverId })).invite.code;
    const lines: [string, string[]][] = [
      ['田中 美咲', ['ステージングで確認しました。通知の遅延は直っています。']],
      ['ليلى حداد', ['صباح الخير! هل يمكننا تأجيل النشر إلى الساعة الثالثة؟']],
      ['Pieter', ['Fahrzeughaftpflichtversicherungsbeitragsrückerstattungsstelle', ...hostile]],
    ];
    for (const [name, bodies] of lines) {
      const guest = await app.guest(name);
      await guest.send('server:join', { code });
      for (const body of bodies) await guest.send('message:send', { timelineId: general, body });
    }
    await ann.send('message:send', { timelineId: general, body: 'See https://example.org/a?b=c.' });
  });
  afterEach(closeWindows);
  after(() => app.close());

  /** What must hold of whatever is shown now. */
  async function expectSound(page: Page) {
    await expectAccessible(page);
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(sideways, 'scrolls sideways').to.equal(0);
  }

  const signedIn = (look: Looks, path: string) => openBrowser(app, { ...look, as: ann, path });
  const inGeneral = (look: Looks) => signedIn(look, `/s/${serverId}/${general}`);

  async function look(window: Window, steps: (page: Page) => Promise<void>) {
    await steps(window.page);
    await expectSound(window.page);
  }

  for (const each of looks) {
    const narrow = (each.width ?? 0) < 820;

    describe(`${each.theme ?? ''}, ${each.width ?? 0} px`, () => {
      it('signing in and registering, with all errors at once', async () => {
        const window = await openBrowser(app, each);
        await look(window, async (page) => {
          await page.getByLabel('Your name').waitFor();
          await expectSound(page);
          await page.getByRole('tab', { name: 'Register' }).click();
          await page.getByLabel('Username').fill('a');
          await page.getByLabel('Password', { exact: true }).fill('short');
          await page.getByRole('button', { name: 'Create account' }).click();
          for (const field of ['Username', 'Password']) {
            const input = page.getByLabel(field, { exact: true });
            expect(await input.getAttribute('aria-invalid')).to.equal('true');
            expect(await input.getAttribute('aria-describedby')).to.be.a('string');
          }
        });
      });

      it('an invite, for a stranger', async () => {
        await look(await openBrowser(app, { ...each, path: `/join/${code}` }), async (page) => {
          await page.getByRole('heading', { name: 'Fjord Labs' }).waitFor();
        });
      });

      it('a channel with all kinds of people, names and text', async () => {
        await look(await inGeneral(each), async (page) => {
          await page.getByText('See https://example.org').waitFor();
          for (const text of hostile) await page.getByText(text, { exact: true }).waitFor();
          expect(await page.evaluate(() => 'hacked' in window)).to.equal(false);
        });
      });

      it('a message being edited, and one about to be deleted', async () => {
        await look(await inGeneral(each), async (page) => {
          const mine = message(page, 'See https://example.org');
          await mine.waitFor();
          await composer(page).press('ArrowUp');
          await page.getByLabel('Edit message').waitFor();
          await expectSound(page);
          await page.getByLabel('Edit message').press('Escape');
          if (narrow) {
            await mine.tap();
            await mine.getByRole('button', { name: 'More' }).tap();
            await page.getByRole('menuitem', { name: 'Delete' }).click();
          } else {
            await mine.hover();
            await mine.getByRole('button', { name: 'Delete' }).click();
          }
          const dialog = page.getByRole('dialog');
          await dialog.waitFor();
          // The safe answer has the focus.
          expect(await page.evaluate(() => document.activeElement?.textContent)).to.match(/Keep/);
          await expectSound(page);
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });
          expect(await page.evaluate(() => document.activeElement === document.body)).to.equal(
            false,
          );
        });
      });

      it('the default channel’s settings: it cannot be deleted, and they say why', async () => {
        await look(await inGeneral(each), async (page) => {
          await page.getByRole('button', { name: 'Channel settings' }).click();
          const button = page.getByRole('button', { name: /^Delete #general/ });
          expect(await button.getAttribute('aria-disabled')).to.equal('true');
          await button.focus();
          expect(await button.evaluate((node) => node === document.activeElement)).to.equal(true);
          const described = (await button.getAttribute('aria-describedby')) ?? '';
          const reason = await page.locator(`[id="${described}"]`).innerText();
          expect(reason).to.include(
            'The default channel cannot be deleted: new members arrive here.',
          );
          await button.press('Enter');
          await page.getByRole('button', { name: 'Delete channel' }).waitFor({ state: 'detached' });
          expect((await ann.fails('channel:delete', { channelId: general })).code).to.equal(
            'conflict',
          );
        });
      });

      it('another channel, empty, and the question before it is deleted', async () => {
        await look(await signedIn(each, `/s/${serverId}/${side}`), async (page) => {
          await page.getByText(/The start of/).waitFor();
          await expectSound(page);
          await page.getByRole('button', { name: 'Channel settings' }).click();
          await page.getByRole('button', { name: /^Delete #software/ }).click();
          await page
            .getByRole('dialog')
            .last()
            .getByText(/Delete #software/)
            .first()
            .waitFor();
        });
      });

      it('the server’s settings and its invites', async () => {
        await look(await signedIn(each, `/s/${serverId}`), async (page) => {
          // On a narrow screen the first visit leads on to a channel.
          if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
          await page.getByRole('button', { name: 'Fjord Labs', exact: true }).last().click();
          await page.getByRole('menuitem', { name: 'Server settings' }).click();
          await page.getByRole('dialog').waitFor();
          await expectSound(page);
          await page.getByRole('dialog').getByText('Invite links').first().click();
        });
      });

      it('members', async () => {
        const at = narrow ? each : { ...each, width: 900 };
        await look(await inGeneral(at), async (page) => {
          await page.getByRole('button', { name: 'Members' }).click();
          await page.getByRole('complementary', { name: 'Members' }).getByText('Pieter').waitFor();
        });
      });

      it('a place that is not there, or not for everyone', async () => {
        await look(
          await signedIn(each, '/s/01900000-0000-7000-8000-000000000000'),
          async (page) => {
            await page
              .getByText(/not available|does not exist|not here/i)
              .first()
              .waitFor();
          },
        );
      });
    });
  }

  it('reflow at 320 px, and are used by keyboard alone', async () => {
    const window = await openBrowser(app, { width: 320, height: 640 });
    await look(window, async (page) => {
      await expectSound(page);
      await page.getByLabel('Your name').focus();
      await page.keyboard.type('Kim');
      await page.keyboard.press('Enter');
      await composer(page).focus();
      await page.keyboard.type('By keys alone');
      await page.keyboard.press('Enter');
      await message(page, 'By keys alone').waitFor();
      expect(await composer(page).evaluate((node) => node === document.activeElement)).to.equal(
        true,
      );
    });
  });
});
