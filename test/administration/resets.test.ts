import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { strangerRates } from '../../shared/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { alive, dead, opens, replyOf } from '../support/auth.ts';
import { connectAs, connectBot, cookieOf, enterAs, post, type Person } from '../support/person.ts';

describe('a password reset link', () => {
  let app: TestApp;
  let owner: Person;
  let ann: Person;
  before(async () => {
    app = await startApp();
    owner = await app.owner();
  });
  after(() => app.close());
  beforeEach(async () => void (ann = await app.person('Ann')));

  const password = 'a sentence she will keep';
  const oldOf = ({ user }: Person) => `the password of ${user.username ?? ''}`;
  const linkFor = async ({ id }: Person) =>
    (await owner.send('account:reset', { userId: id })).secret;
  const use = (secret: string, next = password, more: object = {}) =>
    post(app.url, '/api/auth/reset', { secret, password: next, ...more });
  const isDead = async (secret: string) => {
    const response = await use(secret);
    const { error } = await replyOf(response);
    expect(response.status).to.equal(401);
    expect({ ...error, requestId: '' }).to.deep.equal({
      code: 'unauthenticated',
      message: 'This link doesn’t work. It may have expired. Ask for a new one.',
      retryable: false,
      requestId: '',
    });
  };
  const reads = async (token: string) =>
    (await fetch(`${app.url}/api/servers`, { headers: { authorization: `Bearer ${token}` } }))
      .status;
  const signIn = (one: Person, given: string) =>
    post(app.url, '/api/auth/login', { username: one.user.username, password: given });

  it('sets the password, signs in, and ends all earlier sessions, but not the tokens of bots', async () => {
    const { token } = await ann.send('bot:create', { name: 'Echo' });
    const tab = await ann.newTab();
    const response = await use(await linkFor(ann));
    expect(response.status).to.equal(200);
    expect((await replyOf(response)).user).to.deep.equal(ann.user);
    for (const one of [ann, tab])
      expect(await one.waitFor('closing')).to.include({ code: 'revoked' });
    expect(await opens(app.url, ann.cookie)).to.deep.equal(dead);
    expect(await opens(app.url, cookieOf(response))).to.deep.equal(alive);
    expect((await signIn(ann, oldOf(ann))).status).to.equal(401);
    expect((await signIn(ann, password)).status).to.equal(200);
    expect(await reads(token)).to.equal(200);
  });

  it('is reported at each sign-in for 30 days, or until the user changes the password', async () => {
    const resetTimeFor = async (given: string) =>
      ((await replyOf(await signIn(ann, given))) as { passwordResetAt?: string }).passwordResetAt;
    const reset = async () => connectAs(app.url, cookieOf(await use(await linkFor(ann))));
    expect(await resetTimeFor(oldOf(ann))).to.equal(undefined);
    const began = Date.now();
    ann = await reset();
    const resetAt = await resetTimeFor(password);
    expect(Date.parse(resetAt ?? '')).to.be.within(began - 1_000, Date.now() + 1_000);
    expect(await resetTimeFor(password)).to.equal(resetAt);
    const next = 'a sentence of her own';
    await ann.send('user:changePassword', { current: password, next });
    expect(await resetTimeFor(next)).to.equal(undefined);
    await reset();
    await query(
      app.db,
      `update users set password_reset_at = now() - interval '31 days' where id = $1`,
      [ann.id],
    );
    expect(await resetTimeFor(password)).to.equal(undefined);
  });

  it('revokes the tokens of the user’s bots if asked, and no others', async () => {
    const bots = [];
    for (const name of ['Echo', 'Bell']) bots.push(await ann.send('bot:create', { name }));
    const theirs = await owner.send('bot:create', { name: 'Other' });
    const inside = await connectBot(app.url, bots[0]?.token ?? '');
    const secret = await linkFor(ann);
    expect((await use(secret, 'short', { bots: 'revoke' })).status).to.equal(400);
    expect(await Promise.all(bots.map(({ token }) => reads(token)))).to.deep.equal([200, 200]);
    const response = await use(secret, password, { bots: 'revoke' });
    expect(response.status).to.equal(200);
    expect(await inside.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect(await Promise.all(bots.map(({ token }) => reads(token)))).to.deep.equal([401, 401]);
    expect(await reads(theirs.token)).to.equal(200);
    ann = await connectAs(app.url, cookieOf(response));
    const { token } = await ann.send('bot:rotate', { botId: bots[0]?.bot.id ?? '' });
    expect(await reads(token)).to.equal(200);
    const { entries } = await owner.send('audit:list', { limit: 10 });
    const revoked = entries.filter(({ action }) => action === 'bot:revoked');
    expect(revoked.map(({ userId }) => userId)).to.have.members(bots.map(({ bot }) => bot.id));
    for (const { actorId } of revoked) expect(actorId).to.equal(ann.id);
  });

  it('works once, even when used ten times at once', async () => {
    const secret = await linkFor(ann);
    const used = await Promise.all(Array.from({ length: 10 }, () => use(secret)));
    expect(used.filter(({ status }) => status === 200)).to.have.length(1);
    expect(used.filter(({ status }) => status === 401)).to.have.length(9);
    await isDead(secret);
  });

  it('gets the same answer whether it never existed, was used, was replaced or has expired', async () => {
    await isDead('');
    await isDead('x'.repeat(43));
    const first = await linkFor(ann);
    const second = await linkFor(ann);
    await isDead(first);
    await query(
      app.db,
      `update password_resets set expires_at = expires_at - interval '1 hour' where user_id = $1`,
      [ann.id],
    );
    await isDead(second);
    expect((await use(await linkFor(ann))).status).to.equal(200);
  });

  it('lasts an hour, and is kept only as a hash', async () => {
    const before = Date.now();
    const { secret, expiresAt } = await owner.send('account:reset', { userId: ann.id });
    expect(Date.parse(expiresAt)).to.be.within(before + 3_590_000, Date.now() + 3_610_000);
    const rows = await query(app.db, 'select * from password_resets');
    expect(JSON.stringify(rows)).not.to.include(secret);
  });

  it('ends when the password is changed by other means', async () => {
    const secret = await linkFor(ann);
    await ann.send('user:changePassword', { current: oldOf(ann), next: 'she knew it after all' });
    await isDead(secret);
  });

  it('ends with a suspension, and stays ended after the account is restored', async () => {
    const secret = await linkFor(ann);
    await owner.send('account:update', { userId: ann.id, suspended: true });
    await isDead(secret);
    await owner.send('account:update', { userId: ann.id, suspended: false });
    await isDead(secret);
  });

  it('is not used up by a password that is refused', async () => {
    const secret = await linkFor(ann);
    for (const weak of ['short', 'password123', ann.user.username?.repeat(4) ?? '']) {
      const response = await use(secret, weak);
      expect(response.status, weak).to.equal(400);
      expect((await replyOf(response)).fields).to.have.property('password');
    }
    expect((await use(secret)).status).to.equal(200);
  });

  it('leaves an audit entry of its use, by its account', async () => {
    await use(await linkFor(ann));
    const { entries } = await owner.send('audit:list', { limit: 10 });
    const [entry] = entries.filter(({ action }) => action === 'password:reset');
    expect(entry).to.include({ actorId: ann.id });
  });

  it('works for the owner, too, who stays the owner', async () => {
    const response = await use(await linkFor(owner));
    owner = await connectAs(app.url, cookieOf(response));
    expect(owner.ready.administers).to.equal('owner');
  });

  it('is limited for each address, before any look-up', async () => {
    const slow = await startApp({ PARLEY_RATE_SCALE: '0.2' }, app.where);
    const tries = strangerRates.resetPerAddress.points / 5;
    const one = () => post(slow.url, '/api/auth/reset', { secret: 'x'.repeat(43), password });
    for (let i = 0; i < tries; i += 1) expect((await one()).status).to.equal(401);
    expect((await one()).status).to.equal(429);
    await enterAs(slow.url, 'login', { username: ann.user.username, password: oldOf(ann) });
    await slow.close();
  });
});
