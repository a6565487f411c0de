import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

const waiting = 'Waiting for Ben to accept ownership';

describe('an ownership offer, in two browsers', () => {
  let app: TestApp;
  let ann: Page;
  let ben: Page;
  let people: Record<'ann' | 'ben' | 'cem', Person>;
  let serverId: string;

  before(async () => {
    app = await startSite();
    people = {
      ann: await app.person('Ann'),
      ben: await app.person('Ben'),
      cem: await app.person('Cem'),
    };
    const place = await openPlace(people.ann, people.ben, people.cem);
    ({ serverId } = place);
    const path = `/s/${serverId}/${place.channelId}`;
    ({ page: ann } = await openBrowser(app, { as: people.ann, path }));
    ({ page: ben } = await openBrowser(app, {
      ...{ as: people.ben, path, theme: 'dark', width: 390, touch: true },
    }));
    for (const page of [ann, ben]) await composer(page).waitFor();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const picture = async (page: Page, name: string) => {
    if (!process.env.PICTURES) return;
    await page.waitForTimeout(200);
    await page.screenshot({ path: `${process.env.PICTURES}/transfer-${name}.png` });
  };
  const card = () => ann.getByRole('dialog');
  const openCard = async (name: string) => {
    const pane = ann.getByRole('complementary', { name: 'Members' });
    await pane.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await card().waitFor();
  };
  const close = async () => {
    await ann.keyboard.press('Escape');
    await card().waitFor({ state: 'detached' });
  };
  const openSettings = async () => {
    await ann.getByRole('button', { name: 'Place', exact: true }).first().click();
    await ann.getByRole('menuitem', { name: 'Server settings' }).click();
    await card().getByRole('heading', { name: 'Transfer ownership' }).waitFor();
  };
  const offer = async () => {
    await card().getByRole('button', { name: 'Choose a new owner' }).click();
    const question = ann.getByRole('dialog', { name: 'Transfer ownership of Place' });
    await question.getByText('within 7 days').waitFor();
    expect(await question.getByRole('radio').count()).to.equal(2);
    await question.getByLabel('New owner').first().fill('be');
    await question.getByRole('radio', { name: 'Ben' }).check();
    await expectAccessible(ann);
    await picture(ann, 'question');
    await question.getByRole('button', { name: /^Offer to / }).click();
    await card().getByText(waiting).waitFor();
  };
  const asked = () => ben.getByRole('region', { name: 'Ownership offer' });
  const roleOf = async ({ id }: Person) => {
    const { members } = await people.cem.send('member:list', { serverId, userIds: [id] });
    return members[0]?.role;
  };

  it('waits in the settings, and is withdrawn there; a card does not mention it', async () => {
    await openCard('Ben');
    await card().getByRole('button', { name: 'More for Ben' }).click();
    await ann.getByRole('menuitem', { name: 'Make moderator' }).waitFor();
    expect(await ann.getByText(/ownership/i).count()).to.equal(0);
    await ann.keyboard.press('Escape');
    await close();
    await openSettings();
    await offer();
    expect(await card().getByRole('button', { name: 'Choose a new owner' }).count()).to.equal(0);
    await expectAccessible(ann);
    await picture(ann, 'settings');
    await close();

    await asked().getByText('Ann wants to make you the owner of Place.').waitFor();
    await expectAccessible(ben);
    await picture(ben, 'phone');
    await ben.getByRole('link', { name: /^Back to/ }).click();
    await asked().getByRole('button', { name: 'Accept' }).waitFor();
    await ben.getByRole('link', { name: 'Place, ownership offered to you' }).waitFor();
    await expectAccessible(ben);
    await picture(ben, 'phone-list');

    await openSettings();
    await card().getByText(waiting).waitFor();
    await card().getByRole('button', { name: 'Cancel offer' }).click();
    await card().getByText(waiting).waitFor({ state: 'detached' });
    await asked().waitFor({ state: 'detached' });
    await close();
  });

  it('is declined: everything stays as it was', async () => {
    await openSettings();
    await offer();
    await asked().getByRole('button', { name: 'Decline' }).click();
    await asked().waitFor({ state: 'detached' });
    await card().getByRole('button', { name: 'Choose a new owner' }).waitFor();
    expect([await roleOf(people.ann), await roleOf(people.ben)]).to.deep.equal(['owner', 'member']);
  });

  it('is accepted, after a reload too, and the former owner stays as a moderator', async () => {
    await offer();
    await ben.reload();
    await asked().getByRole('button', { name: 'Accept' }).click();
    await asked().waitFor({ state: 'detached' });
    await card().getByText(waiting).waitFor({ state: 'detached' });
    expect(await card().getByRole('button', { name: 'Choose a new owner' }).count()).to.equal(0);
    await close();
    await openCard('Ben');
    await card()
      .getByText(/^Owner of Place since/)
      .waitFor();
    await close();
    expect([await roleOf(people.ann), await roleOf(people.ben)]).to.deep.equal([
      'moderator',
      'owner',
    ]);
    await ann.getByRole('button', { name: 'Place', exact: true }).first().click();
    await ann.getByRole('menuitem', { name: 'Leave server' }).waitFor();
  });
});
