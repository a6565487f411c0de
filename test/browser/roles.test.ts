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
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';

describe('roles of a server in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;
  let path: string;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    ({ serverId, channelId } = await openPlace(ann, ben));
    path = `/s/${serverId}/${channelId}`;
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(() => app.close());

  const openRoles = async (page: Page) => {
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await page.getByRole('button', { name: 'Roles', exact: true }).click();
    return page.getByRole('list', { name: 'Roles' });
  };
  const colorOf = (page: Page, name: string) =>
    page
      .getByRole('article')
      .getByRole('button', { name, exact: true })
      .locator('bdi')
      .evaluate((bdi) => getComputedStyle(bdi).color);

  it('are created in the settings and given in a profile, and change names and rights everywhere', async () => {
    await ben.send('message:send', { timelineId: channelId, body: 'Tea?' });
    await ann.send('channel:update', { channelId, announcements: true });
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path });
    await bens.getByText('Only moderators can send messages here.').waitFor();
    const plain = await colorOf(bens, 'Ben');

    const list = await openRoles(page);
    await list.getByText('No roles yet.').waitFor();
    await page.getByRole('button', { name: 'Create a role' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a role' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Gardener');
    await dialog.getByText('Green', { exact: true }).check({ force: true });
    await dialog.getByRole('button', { name: 'Choose an emoji' }).click();
    const picker = page.getByRole('dialog', { name: 'Emoji' });
    await picker.getByRole('searchbox').fill('turtle');
    await picker.getByRole('button', { name: 'turtle', exact: true }).click();
    await dialog.getByLabel('Send messages in announcement channels').check();
    await expectAccessible(page);
    await saveScreenshots(page, 'role-editor');
    await dialog.getByRole('button', { name: 'Create role' }).click();
    await list.getByRole('button', { name: 'Gardener', exact: true }).waitFor();
    await list.getByText('0 members').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'roles');
    await page.keyboard.press('Escape');

    await page.getByRole('article').getByRole('button', { name: 'Ben', exact: true }).click();
    await page.getByRole('button', { name: 'More for Ben' }).click();
    await page.getByRole('menuitem', { name: 'Roles…' }).click();
    const roles = page.getByRole('dialog', { name: 'Roles for Ben' });
    await roles.getByLabel('Gardener').check();
    await expectAccessible(page);
    await roles.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('list', { name: 'Roles' }).getByText('Gardener').waitFor();
    await saveScreenshots(page, 'role-profile');

    await composer(bens).waitFor();
    await eventually(async () => expect(await colorOf(bens, 'Ben')).not.to.equal(plain));
    await message(bens, 'Tea?').getByRole('img', { name: 'Gardener' }).waitFor();
    await composer(bens).fill('News');
    await bens.keyboard.press('Enter');
    await message(page, 'News').waitFor();
    await expectAccessible(bens);
    await saveScreenshots(bens, 'role-names');

    const { roleIds = [] } = (await ann.send('member:list', { serverId, userIds: [ben.id] }))
      .members[0]!;
    await ann.send('role:delete', { serverId, roleId: roleIds[0]! });
    await bens.getByText('Only moderators can send messages here.').waitFor();
    await eventually(async () => expect(await colorOf(bens, 'Ben')).to.equal(plain));
  });

  it('are listed in the settings with the members who have them', async () => {
    const made = [];
    for (const name of ['Gardener', 'Cook'])
      made.push((await ann.send('role:create', { serverId, name })).role);
    await ann.send('role:give', { serverId, userId: ben.id, roleId: made[0]!.id });
    const { page } = await openBrowser(app, { as: ann, path });
    await openRoles(page);
    await page.getByRole('button', { name: 'Members', exact: true }).last().click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    const rows = () => settings.getByRole('listitem').allInnerTexts();
    const ofBen = /Ben\s+Gardener/;
    await eventually(async () => {
      expect(await rows()).to.have.lengthOf(2);
      expect((await rows()).some((row) => ofBen.test(row))).to.equal(true);
    });
    await settings.getByLabel('Role').selectOption('Gardener');
    await eventually(async () => expect(await rows()).to.have.lengthOf(1));
    await expectAccessible(page);
    await saveScreenshots(page, 'role-members');
    await settings.getByLabel('Role').selectOption('Cook');
    await settings.getByText('No one has this role.').waitFor();
  });

  it('are moved, changed and deleted in the settings', async () => {
    for (const name of ['One', 'Two'])
      await ann.send('role:create', { serverId, name, color: 'purple' });
    const { page } = await openBrowser(app, { as: ann, path });
    const list = await openRoles(page);
    const names = () => list.locator('bdi').allInnerTexts();
    await eventually(async () => expect(await names()).to.deep.equal(['One', 'Two']));
    await page.getByRole('button', { name: 'More for Two' }).click();
    await page.getByRole('menuitem', { name: 'Move up' }).click();
    await eventually(async () => expect(await names()).to.deep.equal(['Two', 'One']));
    await list.getByRole('button', { name: 'One', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit role' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('two');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This server already has a role with this name.').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Three');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => expect(await names()).to.deep.equal(['Two', 'Three']));
    await page.getByRole('button', { name: 'More for Two' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete role' }).click();
    await eventually(async () => expect(await names()).to.deep.equal(['Three']));
  });

  it('get permissions for one channel in its settings', async () => {
    const { role } = await ann.send('role:create', { serverId, name: 'Reporter', color: 'blue' });
    await ann.send('role:give', { serverId, userId: ben.id, roleId: role.id });
    await ann.send('channel:update', { channelId, announcements: true });
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path });
    await bens.getByText('Only moderators can send messages here.').waitFor();
    await page.getByRole('button', { name: 'Channel settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Channel settings' });
    const choice = (legend: string) =>
      settings.getByRole('group', { name: legend }).getByLabel('Reporter');
    await choice('Roles that can also send messages').check();
    await choice('Roles that can mention everyone here').check();
    await settings
      .getByText('Unsaved: roles that can send, roles that can mention everyone')
      .waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'role-channel');
    await settings.getByRole('button', { name: 'Save changes' }).click();
    await settings.getByText('Saved').waitFor();
    await composer(bens).fill('@every');
    await bens.getByRole('option', { name: /everyone/ }).waitFor();
    await composer(bens).fill('Report');
    await bens.keyboard.press('Enter');
    await message(bens, 'Report').waitFor();
    await ann.send('role:take', { serverId, userId: ben.id, roleId: role.id });
    await bens.getByText('Only moderators and some roles can send messages here.').waitFor();
  });

  it('open a private channel, chosen in its settings', async () => {
    const { role } = await ann.send('role:create', { serverId, name: 'Staff', color: 'green' });
    await ann.send('role:give', { serverId, userId: ben.id, roleId: role.id });
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path });
    const { channel } = await ann.send('channel:create', { serverId, name: 'den', private: true });
    await page.getByRole('link', { name: 'den' }).click();
    await page.getByRole('button', { name: 'Channel settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Channel settings' });
    await settings.getByRole('button', { name: 'Access', exact: true }).click();
    await settings.getByRole('button', { name: 'Add people' }).click();
    const dialog = page.getByRole('dialog', { name: 'Who can see #den' });
    await dialog.getByLabel('Staff').check();
    await expectAccessible(page);
    await saveScreenshots(page, 'role-viewers');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await settings.getByText('Member · via Staff').waitFor();
    expect(await settings.getByRole('button', { name: 'Remove Ben' }).count()).to.equal(0);
    await expectAccessible(page);
    await saveScreenshots(page, 'role-access');

    await bens.getByRole('link', { name: 'den' }).click({ button: 'right' });
    await bens.getByRole('menuitem', { name: 'Hide channel' }).waitFor();
    expect(await bens.getByRole('menuitem', { name: 'Leave channel' }).count()).to.equal(0);
    await bens.keyboard.press('Escape');
    await ann.send('role:take', { serverId, userId: ben.id, roleId: role.id });
    await bens.getByRole('link', { name: 'den' }).waitFor({ state: 'hidden' });

    await page.keyboard.press('Escape');
    await ann.send('channel:delete', { channelId: channel.id });
    await page.getByRole('button', { name: 'Create a channel' }).first().click();
    const create = page.getByRole('dialog', { name: 'Create a channel' });
    await create.getByRole('textbox', { name: 'Name' }).fill('cellar');
    await create.getByLabel('Private').check();
    await create.getByLabel('Staff').check();
    await expectAccessible(page);
    await saveScreenshots(page, 'role-create-channel');
    await create.getByRole('button', { name: 'Create channel' }).click();
    await ann.send('role:give', { serverId, userId: ben.id, roleId: role.id });
    await bens.getByRole('link', { name: 'cellar' }).waitFor();
  });
});
