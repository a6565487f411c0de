import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, expectAccessible, openBrowser } from '../support/browser.ts';
import { connectBot, type Person } from '../support/person.ts';

describe('the owner of a bot, in a browser', () => {
  let app: TestApp;
  let ann: Person;
  let dan: Person;
  let botId: string;
  let serverId: string;
  let code: string;
  let path: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
    [ann, dan] = [await app.person('Ann'), await app.person('Dan')];
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    serverId = server.id;
    path = `/s/${serverId}/${server.defaultChannelId}`;
    ({ code } = (await ann.send('invite:create', { serverId })).invite);
    await dan.send('server:join', { code });
    const { bot } = await dan.send('bot:create', { name: 'Echo' });
    botId = bot.id;
    await ann.send('bot:add', { botId, serverId });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const open = async (as = ann) => {
    const { page } = await openBrowser(app, { as, path });
    await composer(page).waitFor();
    const pane = page.getByRole('complementary', { name: 'Members' });
    const card = page.getByRole('dialog');
    return { page, card, memberCalled: (name: RegExp) => pane.getByRole('button', { name }) };
  };

  it('is named on its card', async () => {
    const { page, card, memberCalled } = await open();
    await memberCalled(/^Echo/).click();
    await card.getByText(`Bot by Dan (@${dan.user.username})`, { exact: true }).waitFor();
    await expectAccessible(page);
  });

  for (const takesBots of [false, true])
    it(`is banned ${takesBots ? 'with it by default' : 'without it on request'}`, async () => {
      const { page, card, memberCalled } = await open();
      await memberCalled(/^Dan/).click();
      await card.getByRole('button', { name: 'More for Dan' }).click();
      await page.getByRole('menuitem', { name: 'Ban' }).click();
      const question = page.getByRole('dialog', { name: /^Ban Dan/ });
      const bots = question.getByRole('checkbox', { name: 'Also ban their bots' });
      expect(await bots.isChecked()).to.equal(true);
      await expectAccessible(page);
      if (!takesBots) await bots.uncheck();
      await question.getByRole('button', { name: 'Ban' }).click();
      await card.getByText('No longer a member').waitFor();
      const { bans } = await ann.send('ban:list', { serverId });
      const banned = bans.map(({ userId }) => userId);
      expect(banned).to.have.members(takesBots ? [dan.id, botId] : [dan.id]);
      await page.keyboard.press('Escape');
      if (takesBots) await memberCalled(/^Echo/).waitFor({ state: 'detached' });
      else expect(await memberCalled(/^Echo/).count()).to.equal(1);
      for (const userId of banned) await ann.send('ban:delete', { serverId, userId });
      await dan.send('server:join', { code });
    });

  describe('changing the password', () => {
    const change = async (owner: Person, revokes?: boolean) => {
      const { page } = await open(owner);
      const you = page.getByRole('region', { name: 'You' });
      await you.getByRole('button').first().click();
      await page.getByRole('menuitem', { name: 'Settings' }).click();
      const settings = page.getByRole('dialog', { name: 'Settings' });
      await settings.getByRole('button', { name: 'Account', exact: true }).click();
      const tokens = settings.getByRole('checkbox', { name: 'Also revoke my bots’ tokens' });
      if (revokes !== undefined) await tokens.waitFor();
      if (revokes) await tokens.check();
      await expectAccessible(page);
      const current = `the password of ${owner.user.username}`;
      await settings.getByLabel('Current password').fill(current);
      await settings.getByLabel('New password').fill('another long password');
      await settings.getByRole('button', { name: 'Change password' }).click();
      await settings.getByText('Password changed.', { exact: true }).waitFor();
      return tokens.count();
    };
    const ownerOfBot = async () => {
      const owner = await app.person('Eve');
      await owner.send('server:join', { code });
      const { token } = await owner.send('bot:create', { name: 'Parrot' });
      return { owner, bot: await connectBot(app.url, token) };
    };

    it('is asked about the tokens of their bots, and keeps them unless the box is checked', async () => {
      const { owner, bot } = await ownerOfBot();
      await change(owner, false);
      await bot.send('server:list', {});
    });

    it('revokes them with the box checked: the bot is disconnected', async () => {
      const { owner, bot } = await ownerOfBot();
      await change(owner, true);
      expect(await bot.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    });

    it('is not asked without a bot', async () => {
      const owner = await app.person('Fay');
      await owner.send('server:join', { code });
      expect(await change(owner)).to.equal(0);
    });
  });
});
