import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { claim } from '../../server/previews/store.ts';
import type { Message } from '../../shared/messages.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { html, openLinkedSite, titled, type LinkedSite } from '../support/linked-site.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('previews of links', () => {
  let site: LinkedSite;
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    site = await openLinkedSite();
    app = await startApp({ PARLEY_LOBBY: 'off', ...site.settings });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
  });
  after(async () => {
    await app.close();
    await site.close();
  });

  let count = 0;
  const page = (title: string, more = '') => {
    count += 1;
    return site.serve(`/${count}`, titled(title, more));
  };
  const say = async (body: string, author = ann, timelineId = place.channelId) =>
    (await author.send('message:send', { timelineId, body })).message;
  /** Waits until no message waits for its pages. */
  const settled = () =>
    until(async () => (await query(app.db, 'select from preview_queue')).length === 0);
  const now = async ({ timelineId, position }: Message): Promise<Message> => {
    const { messages } = await ben.send('message:list', { timelineId, around: position });
    return messages.find((one) => one.position === position)!;
  };
  const current = async (message: Message): Promise<Message> => {
    await settled();
    return now(message);
  };
  const titles = async (message: Message) =>
    (await current(message)).previews?.map(({ title }) => title);

  it('arrive with the next version of the message, for everyone who can see it', async () => {
    const changes: Message[] = [];
    ben.socket.on('changes', (received) => {
      for (const change of received.changes)
        if (change.type === 'message:updated') changes.push(change.message);
    });
    await ben.send('channel:join', { channelId: place.channelId });
    const link = page('Tea', '<meta name="description" content="All about tea">');
    const message = await say(`Look: ${link}.`);
    expect(message.previews).to.equal(undefined);
    await until(() => changes.length > 0);
    const [changed] = changes;
    const previews = [{ link, site: '127.0.0.1', title: 'Tea', description: 'All about tea' }];
    expect(changed).to.deep.equal({ ...message, version: message.version + 1, previews });
    expect(await current(message)).to.deep.equal(changed);
  });

  it('are for the first three links that are not code, in their order', async () => {
    const links = ['a', 'b', 'c', 'd'].map((title) => page(title));
    const [a, b, c, d] = links;
    const message = await say(`\`${d}\` [words](${c}) ${a} ${a} > ${b} ${d}`);
    expect(await titles(message)).to.deep.equal(['c', 'a', 'b']);
  });

  it('come in conversations, too', async () => {
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    const message = await say(page('Tea'), ann, conversation.id);
    expect(await titles(message)).to.deep.equal(['Tea']);
  });

  it('read each page once within an hour, for all messages', async () => {
    const link = page('Tea');
    const both = await Promise.all([say(link), say(`${link}#cups`, ben), say(link)]);
    for (const message of both) expect(await titles(message)).to.deep.equal(['Tea']);
    expect(site.requestsFor(new URL(link).pathname)).to.equal(1);
    await query(app.db, `update linked_pages set read_at = now() - interval '61 minutes'`);
    expect(await titles(await say(link))).to.deep.equal(['Tea']);
    expect(site.requestsFor(new URL(link).pathname)).to.equal(2);
  });

  it('are not added for missing pages or pages without a title', async () => {
    const missing = `${site.origin}/missing`;
    const message = await say(`${page('')} ${missing} http://127.0.0.1:1/`);
    expect(await current(message)).to.deep.equal(message);
    await say(missing);
    await settled();
    expect(site.requestsFor('/missing')).to.equal(1);
  });

  it('follow an edit: previews of removed links disappear, and only new links are read', async () => {
    const [tea, cake, jam] = ['Tea', 'Cake', 'Jam'].map((title) => page(title));
    const message = await say(`${tea} ${cake}`);
    expect(await titles(message)).to.deep.equal(['Tea', 'Cake']);
    await ann.send('message:edit', { messageId: message.id, body: `${cake} ${tea}` });
    expect(await titles(message)).to.deep.equal(['Cake', 'Tea']);
    await ann.send('preview:remove', { messageId: message.id, link: tea! });
    await ann.send('message:edit', { messageId: message.id, body: `${jam} ${tea} and text` });
    expect(await titles(message)).to.deep.equal(['Jam']);
    await ann.send('message:edit', { messageId: message.id, body: 'no link' });
    expect(await titles(message)).to.equal(undefined);
  });

  it('come back if an edit removes a link and the next one adds it again', async () => {
    const link = page('Tea');
    const message = await say(link);
    expect(await titles(message)).to.deep.equal(['Tea']);
    // Both edits wait for the same turn.
    await query(
      app.db,
      `alter table preview_queue alter due_at set default now() + interval '1 hour'`,
    );
    await ann.send('message:edit', { messageId: message.id, body: page('Cake') });
    await query(app.db, 'alter table preview_queue alter due_at set default now()');
    await ann.send('message:edit', { messageId: message.id, body: link });
    expect(await titles(message)).to.deep.equal(['Tea']);
  });

  it('can be removed only by the author, one at a time', async () => {
    const [tea, cake] = ['Tea', 'Cake'].map((title) => page(title));
    const message = await say(`${tea} ${cake}`, ben);
    const { id: messageId } = message;
    expect(await titles(message)).to.deep.equal(['Tea', 'Cake']);
    const link = tea!;
    const refused = await ann.expectError('preview:remove', { messageId, link });
    expect(refused.code).to.equal('forbidden');
    const { version } = await ben.send('preview:remove', { messageId, link });
    expect(await titles(message)).to.deep.equal(['Cake']);
    const again = await ben.send('preview:remove', { messageId, link });
    expect(again.version).to.equal(version);
    await ben.send('preview:remove', { messageId, link: cake! });
    expect((await current(message)).previews).to.equal(undefined);
  });

  it('are deleted with the message', async () => {
    const message = await say(page('Tea'));
    expect(await titles(message)).to.deep.equal(['Tea']);
    await ann.send('message:delete', { messageId: message.id });
    expect(await titles(message)).to.equal(undefined);
  });

  it('are not added to a message that is deleted while its page is read', async () => {
    let answer = () => undefined as unknown;
    const link = site.serve('/held', (_request, response) => {
      answer = () => response.writeHead(200, { 'content-type': 'text/html' }).end(titled('Tea'));
    });
    const message = await say(link);
    await until(() => site.requestsFor('/held') === 1);
    await ann.send('message:delete', { messageId: message.id });
    answer();
    const { previews, deletedAt } = await current(message);
    expect(previews).to.equal(undefined);
    expect(deletedAt).to.be.a('string');
  });

  it('are not added where the owner turned them off', async () => {
    const [on, off] = [page('On'), page('Off')];
    const before = await say(on);
    expect(await titles(before)).to.deep.equal(['On']);
    await ann.send('server:update', { serverId: place.serverId, noPreviews: true });
    const message = await say(off);
    expect(await titles(message)).to.equal(undefined);
    expect(await titles(before)).to.deep.equal(['On']);
    expect(site.requestsFor(new URL(off).pathname)).to.equal(0);
    const { entries } = await ann.send('audit:list', { serverId: place.serverId });
    expect(entries[0]?.action).to.equal('server:previewsOff');
    await ann.send('server:update', { serverId: place.serverId, noPreviews: false });
    expect(await titles(await say(off))).to.deep.equal(['Off']);
  });

  it('are not added where the operator turned them off', async () => {
    const silent = await startApp({ ...site.settings, PARLEY_PREVIEWS: 'off' });
    const cid = await silent.person('Cid');
    const { channelId } = await openPlace(cid);
    const link = page('Off');
    await cid.send('message:send', { timelineId: channelId, body: link });
    expect(await query(silent.db, 'select from preview_queue')).to.deep.equal([]);
    await silent.close();
    expect(site.requestsFor(new URL(link).pathname)).to.equal(0);
  });

  it('are read by another node if the first has ended', async () => {
    await settled();
    const link = page('Tea');
    // Claims the message, like a node that is killed afterwards.
    await query(
      app.db,
      "alter table preview_queue alter column due_at set default now() + interval '1 hour'",
    );
    const message = await say(link);
    await query(app.db, 'update preview_queue set due_at = now()');
    const [taken] = await claim(app.db, { limit: 8, forMs: 60_000, busyIds: [] });
    await query(app.db, 'alter table preview_queue alter column due_at set default now()');
    if (taken !== undefined) {
      expect(taken.messageId).to.equal(message.id);
      await query(app.db, 'update preview_queue set due_at = now()');
    }
    expect(await titles(message)).to.deep.equal(['Tea']);
  });

  it('are read again after a temporary failure', async () => {
    let status = 503;
    const link = site.serve('/busy', (request, response) => {
      if (status === 200) html(titled('Tea'))(request, response);
      else response.writeHead(status).end();
    });
    const message = await say(`${link} ${page('Cake')}`);
    const waits = 'select from preview_queue where attempts = 1 and due_at > now()';
    await until(async () => {
      const { previews = [] } = await now(message);
      return previews.length === 1 && (await query(app.db, waits)).length === 1;
    });
    status = 200;
    await query(app.db, 'update preview_queue set due_at = now()');
    expect(await titles(message)).to.deep.equal(['Tea', 'Cake']);
    expect(site.requestsFor('/busy')).to.equal(2);
  });

  it('stay away once removed, although another page of the message is read again', async () => {
    const busy = site.serve('/later', (_request, response) => response.writeHead(503).end());
    const link = page('Tea');
    const message = await say(`${link} ${busy}`);
    await until(async () => (await now(message)).previews?.length === 1);
    await ann.send('preview:remove', { messageId: message.id, link });
    site.serve('/later', titled('Later'));
    await until(async () => {
      await query(app.db, 'update preview_queue set due_at = now() where attempts = 1');
      return (await query(app.db, 'select from preview_queue')).length === 0;
    });
    expect(await titles(message)).to.deep.equal(['Later']);
  });

  it('read a page once for links that differ only in their fragment', async () => {
    const link = page('Tea');
    const message = await say(`${link}#1 ${link}#2 ${link}#3`);
    expect(await titles(message)).to.deep.equal(['Tea', 'Tea', 'Tea']);
    expect(site.requestsFor(new URL(link).pathname)).to.equal(1);
  });

  it('do not hold up those of other people', async () => {
    let [open, most] = [0, 0];
    for (let i = 0; i < 6; i += 1)
      await say(
        site.serve(`/slow/${i}`, (_request, response) => {
          open += 1;
          most = Math.max(most, open);
          // The answer never comes.
          response.once('close', () => (open -= 1));
        }),
      );
    const message = await say(page('Tea'), ben);
    await until(async () => (await now(message)).previews !== undefined);
    expect(most).to.be.at.most(2);
    await query(app.db, 'delete from preview_queue');
  });

  it('are not shown if they have words that the server does not allow', async () => {
    await ann.send('wordFilter:set', { serverId: place.serverId, words: ['cheap watch*'] });
    const message = await say(`${page('Cheap watches!')} ${page('Tea')}`);
    expect(await titles(message)).to.deep.equal(['Tea']);
  });

  it('are limited for each person, so that no one can make the server send many requests', async () => {
    const strict = await startStrictApp({ PARLEY_LOBBY: 'off', ...site.settings });
    const cid = await strict.person('Cid');
    const { channelId } = await openPlace(cid);
    const links = Array.from({ length: 36 }, (_, i) => page(`page ${i}`));
    for (let i = 0; i < links.length; i += 3)
      await say(links.slice(i, i + 3).join(' '), cid, channelId);
    // Its clock stands still, so that the limit does not end meanwhile.
    const passed = (attempts: number) =>
      until(async () => {
        // Messages under way need no beat. Each beat moves the clock towards the end of the limit.
        const underWay = `select from preview_queue
          where due_at between now() + interval '11 seconds' and now() + interval '31 seconds'`;
        if ((await query(strict.db, underWay)).length === 0) strict.pass(1_000);
        const waiting = 'select from preview_queue where attempts < $1 or due_at <= now()';
        return (await query(strict.db, waiting, [attempts])).length === 0;
      });
    await passed(1);
    await query(strict.db, 'update preview_queue set due_at = now()');
    await passed(2);
    await strict.close();
    const requested = links.filter((link) => site.requestsFor(new URL(link).pathname) > 0);
    expect(requested).to.have.lengthOf(30);
  });
});
