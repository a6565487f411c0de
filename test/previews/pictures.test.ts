import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import sharp from 'sharp';
import { query } from '../../server/database/database.ts';
import { sweepFiles } from '../../server/files/sweep.ts';
import type { Message } from '../../shared/messages.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openLinkedSite, titled, type LinkedSite } from '../support/linked-site.ts';
import type { Person } from '../support/person.ts';
import { animation, bomb, grain, photo, picture } from '../support/pictures.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('pictures of link previews', () => {
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
  const serve = (bytes: Buffer | RequestListener, type = 'image/png') => {
    count += 1;
    return site.serve(
      `/pictures/${count}`,
      typeof bytes === 'function'
        ? bytes
        : (_request, response) => response.writeHead(200, { 'content-type': type }).end(bytes),
    );
  };
  const page = (address: string, title = 'Tea') => {
    count += 1;
    const meta = `<meta property="og:image" content="${address}">`;
    return site.serve(`/pages/${count}`, titled(title, meta));
  };
  const pictured = async () => page(serve(await picture(1_200, 630).png().toBuffer()));

  const say = async (body: string, author = ann, node = app, timelineId = place.channelId) => {
    const { message } = await author.send('message:send', { timelineId, body });
    await settled(node);
    return now(message, author);
  };
  /** Waits until no message waits for its pages. */
  const settled = ({ db } = app) =>
    until(async () => (await query(db, 'select from preview_queue')).length === 0);
  const now = async ({ timelineId, position }: Message, reader = ann) => {
    const { messages } = await reader.send('message:list', { timelineId, around: position });
    return messages.find((one) => one.position === position)!;
  };
  const get = (id: string | undefined, { cookie }: Person, node = app) =>
    fetch(`${node.url}/files/${id}/preview`, { headers: { cookie } });
  const statusFor = async (id: string | undefined, reader: Person) =>
    (await get(id, reader)).status;
  const pictureIn = ({ previews = [] }: Message, i = 0) => previews[i]?.picture;
  /** Deletes dropped files, then returns the number of files and the bytes that they use. */
  const stored = async (node = app) => {
    await sweepFiles(node);
    const [kept] = await query<{ files: number; bytes: number; used: number }>(
      node.db,
      `select count(*)::int as files, coalesce(sum(reserved), 0)::int as bytes,
         (select bytes::int from file_usage) as used from files`,
    );
    return kept!;
  };

  it('are small squares for everyone who can see the message, and for no one else', async () => {
    const message = await say(await pictured());
    const id = pictureIn(message);
    const answer = await get(id, ben);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('image/webp');
    const { width, height, format } = await sharp(await answer.arrayBuffer()).metadata();
    expect({ width, height, format }).to.deep.equal({ width: 144, height: 144, format: 'webp' });
    expect(await statusFor(id, await app.person())).to.equal(404);
    await ben.send('server:leave', { serverId: place.serverId });
    expect(await statusFor(id, ben)).to.equal(404);
    expect(await statusFor(id, ann)).to.equal(200);
    const again = { timelineId: place.channelId, body: '', files: [{ id: id! }] };
    expect((await ann.expectError('message:send', again)).code).to.equal('invalid');
  });

  it('contain no metadata of the original, and are not animated', async () => {
    const taken = serve(await photo('Whitstable'), 'image/jpeg');
    const moving = serve(await animation('gif', [100, 100]), 'image/gif');
    const message = await say(`${page(taken)} ${page(moving)}`);
    const [one, other] = await Promise.all(
      [0, 1].map(async (i) =>
        Buffer.from(await (await get(pictureIn(message, i), ann)).arrayBuffer()),
      ),
    );
    expect(one!.toString('latin1')).to.not.match(/Whitstable|Exif|xmp|GPS/);
    expect((await sharp(other, { animated: true }).metadata()).pages ?? 1).to.equal(1);
  });

  it('are read at most once an hour, even if pages share one, and can have relative addresses', async () => {
    const shared = new URL(serve(await picture().png().toBuffer())).pathname;
    const pages = [page(shared, 'one'), page(`${site.origin}${shared}`, 'two')];
    const message = await say(pages.join(' '));
    const again = await say(pages.join(' '), ben);
    expect(site.requestsFor(shared)).to.equal(1);
    const ids = [message, again].flatMap((one) => [pictureIn(one), pictureIn(one, 1)]);
    expect(new Set(ids).size).to.equal(4);
    // A node of an earlier version copies all of it to messages.
    const known = 'select page from linked_pages where address = $1';
    const words = { site: '127.0.0.1', title: 'one' };
    expect(await query(app.db, known, [pages[0]])).to.deep.equal([{ page: words }]);
    await query(app.db, `update linked_pictures set read_at = now() - interval '61 minutes'`);
    await say(pages[0]!);
    expect(site.requestsFor(shared)).to.equal(2);
  });

  it('are read again for the next message after a temporary failure', async () => {
    const usable = await picture().png().toBuffer();
    let status = 503;
    const link = page(serve((_request, response) => response.writeHead(status).end(usable)));
    expect(pictureIn(await say(link))).to.equal(undefined);
    status = 200;
    expect(pictureIn(await say(link))).to.be.a('string');
  });

  it('are deleted with the message, the preview or the link, and kept by other edits', async () => {
    const before = await stored();
    const links = await Promise.all([pictured(), pictured(), pictured()]);
    const message = await say(links.join(' '));
    const { id: messageId } = message;
    const ids = [0, 1, 2].map((i) => pictureIn(message, i));
    const statuses = () => Promise.all(ids.map((id) => statusFor(id, ben)));
    expect(await statuses()).to.deep.equal([200, 200, 200]);
    const full = await stored();
    expect(full.files - before.files).to.equal(3);
    expect(full.used).to.equal(full.bytes);
    await ann.send('preview:remove', { messageId, link: links[0] });
    expect(await statuses()).to.deep.equal([404, 200, 200]);
    await ann.send('message:edit', { messageId, body: `Only ${links[2]}` });
    expect(await statuses()).to.deep.equal([404, 404, 200]);
    await ann.send('message:delete', { messageId });
    expect(await statuses()).to.deep.equal([404, 404, 404]);
    expect(await stored()).to.deep.equal(before);
  });

  it('are left out if they are not pictures, too large, or at a private address', async () => {
    const other = await openLinkedSite();
    const hidden = other.serve('/hidden', (_request, response) => response.writeHead(200).end());
    const endless = serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      const more = () => {
        while (response.write(Buffer.alloc(100_000)));
      };
      response.on('drain', more);
      more();
    });
    const large = await grain(900, 900).png({ compressionLevel: 0 }).toBuffer();
    expect(large.length).to.be.above(2_000_000);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const usable = await picture().png().toBuffer();
    const addresses = {
      hidden,
      endless,
      large: serve(large),
      bomb: serve(bomb(4_001, 4_000)),
      svg: serve(svg, 'image/svg+xml'),
      text: serve(Buffer.from(titled('Tea')), 'image/png'),
      cut: serve(usable.subarray(0, 60)),
      compressed: serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(usable),
      ),
      missing: `${site.origin}/missing.png`,
      moved: serve((_request, response) => response.writeHead(302, { location: hidden }).end()),
      data: `data:image/png;base64,${usable.toString('base64')}`,
      file: 'file:///etc/passwd',
      long: `${site.origin}/${'a'.repeat(2_000)}`,
    };
    const messages: [string, Message][] = [];
    for (const [what, address] of Object.entries(addresses)) {
      const asked = { timelineId: place.channelId, body: page(address) };
      messages.push([what, (await ann.send('message:send', asked)).message]);
    }
    await settled();
    for (const [what, sent] of messages) {
      const message = await now(sent);
      expect(
        message.previews?.map(({ title }) => title),
        what,
      ).to.deep.equal(['Tea']);
      expect(pictureIn(message), what).to.equal(undefined);
    }
    expect(other.requestsFor('/hidden')).to.equal(0);
    await other.close();
    // Exactly the largest picture that is allowed.
    expect(pictureIn(await say(page(serve(bomb(4_000, 4_000)))))).to.be.a('string');
  });

  it('are not stored for guests, or for people who can’t upload more', async () => {
    const link = await pictured();
    const small = await startApp({
      ...{ PARLEY_LOBBY: 'off', ...site.settings },
      ...{ PARLEY_RATE_SCALE: '1', PARLEY_FILE_DAY_MB: '1', PARLEY_FILES_GB: '1' },
    });
    const [owner, other] = await Promise.all([small.person(), small.person()]);
    const { channelId, serverId } = await openPlace(owner, other);
    const { invite } = await owner.send('invite:create', { serverId, guests: true });
    const guest = await small.guest('Gus');
    await guest.send('server:join', { code: invite.code });
    const pictureOf = async (author: Person) =>
      pictureIn(await say(link, author, small, channelId));
    expect(await pictureOf(guest)).to.equal(undefined);
    expect(await pictureOf(other)).to.be.a('string');
    const counts = await stored(small);
    expect(counts.used).to.equal(counts.bytes);
    const days = 'update upload_days set bytes = 1000000 where who = $1 returning who';
    expect(await query(small.db, days, [other.id])).to.have.lengthOf(1);
    expect(await pictureOf(other)).to.equal(undefined);
    expect(await pictureOf(owner)).to.be.a('string');
    await query(small.db, 'update file_usage set bytes = 1000000000');
    expect(await pictureOf(owner)).to.equal(undefined);
    await small.close();
  });
});
