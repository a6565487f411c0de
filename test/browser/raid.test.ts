/** A moderation drill: the owner of a server ends a raid in the client, while other members go on talking. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { io } from 'socket.io-client';
import { query } from '../../server/database/database.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  message,
  openBrowser,
} from '../support/browser.ts';
import { atLength } from '../support/length.ts';
import { cookieOf, openPerson, post, type Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';

const raiders = atLength(20, 199);

describe('a raid', () => {
  let app: TestApp;
  before(async () => {
    app = await startSite({ PARLEY_RATE_SCALE: '1', TRUST_PROXY: '1', PARLEY_LOBBY: 'off' });
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  /** A guest from a network of their own. */
  async function guestFrom(number: number): Promise<Person> {
    const headers = { 'x-forwarded-for': `10.${number}.0.9` };
    const displayName = `Raider ${number}`;
    const response = await post(app.url, '/api/auth/guest', { displayName }, headers);
    const cookie = cookieOf(response);
    const options = { transports: ['websocket'], forceNew: true, reconnection: false };
    const extraHeaders = { origin: app.url, cookie, ...headers };
    const socket = io(app.url, { ...options, auth: { protocol: 1 }, extraHeaders });
    return openPerson(socket, app.url, cookie);
  }

  it(`by ${raiders} guests who all write ends when the owner bans the newcomers, and the other members stay`, async () => {
    const [ann, ben, eva] = [
      await app.person('Ann'),
      await app.person('Ben'),
      await app.person('Eva'),
    ];
    const dora = await app.guest('Dora');
    const { serverId, channelId: timelineId, code } = await openPlace(ann, ben, dora);
    await query(app.db, `update members set joined_at = joined_at - interval '2 days'`);
    await eva.send('server:join', { code });
    const { message: kept } = await eva.send('message:send', { timelineId, body: 'I am new here' });
    const path = `/s/${serverId}/${timelineId}`;
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path, width: 390 });

    const crowd: Person[] = [];
    for (let number = 0; number < raiders; number += 1) crowd.push(await guestFrom(number));
    let isOver = false;
    const raids = crowd.map(async (raider, number) => {
      for (let turn = 0; !isOver; turn += 1) {
        const joined = await raider.ask('server:join', { code });
        if (joined.ok)
          await raider.ask('message:send', { timelineId, body: `Spam ${number} ${turn}` });
        await sleep(1_000);
      }
    });
    await page
      .getByText(/^Spam /)
      .first()
      .waitFor();
    const began = Date.now();
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByRole('button', { name: 'Invite links' }).click();
    await settings.getByRole('button', { name: 'Pause for an hour' }).click();
    await settings.getByText(/^All links are paused until /).waitFor();
    await settings.getByRole('button', { name: 'Members', exact: true }).click();
    await page.getByRole('button', { name: 'Ban newcomers…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ban newcomers?' });
    await dialog.getByRole('checkbox', { name: 'Eva' }).uncheck();
    await dialog.getByLabel('Delete messages').selectOption('Last hour');
    await saveScreenshots(page, 'raid-ban');
    await dialog.getByRole('button', { name: /^Ban \d+ people$/ }).click();
    await dialog.waitFor({ state: 'detached' });
    const { members } = await ann.send('member:list', { serverId, limit: 100 });
    expect(members.map(({ userId }) => userId).sort()).to.deep.equal(
      [ann, ben, dora, eva].map(({ id }) => id).sort(),
    );
    // A member on a phone no longer sees spam, and can write.
    await eventually(async () => expect(await bens.getByText(/^Spam /).count()).to.equal(0));
    await composer(bens).fill('Still here');
    await bens.keyboard.press('Enter');
    await message(bens, 'Still here').waitFor();
    const seconds = (Date.now() - began) / 1_000;
    if (raiders > 20) process.stdout.write(`The raid was over after ${seconds} s.\n`);
    isOver = true;
    await Promise.all(raids);
    const around = kept.position;
    const { messages } = await ann.send('message:list', { timelineId, around, limit: 10 });
    expect(messages.find(({ id }) => id === kept.id)?.body).to.equal('I am new here');
    await saveScreenshots(bens, 'raid-over');
    const refused = await crowd[0]!.expectError('message:send', { timelineId, body: 'Spam' });
    expect(refused.code).to.equal('not_found');
    for (const raider of crowd) raider.close();
  });
});
