import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { alive, dead, newForm, opens, password } from '../support/auth.ts';
import { connectAs, cookieOf, enterAs, post } from '../support/person.ts';

describe('changing the password', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());
  const next = 'another long sentence';

  it('requires the current one, and ends all other sessions (S-26)', async () => {
    const body = newForm();
    const desk = await enterAs(app.url, 'register', body);
    const phone = await enterAs(app.url, 'login', body);
    const wrong = await desk.expectError('user:changePassword', { current: 'not this one', next });
    expect(wrong).to.include({ code: 'forbidden', field: 'current' });
    expect(await opens(app.url, phone.cookie)).to.deep.equal(alive);
    await desk.send('user:changePassword', { current: password, next });
    expect(await phone.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect(await opens(app.url, phone.cookie)).to.deep.equal(dead);
    expect(await opens(app.url, desk.cookie)).to.deep.equal(alive);
    expect(desk.received('closing')).to.deep.equal([]);
    expect((await post(app.url, '/api/auth/login', body)).status).to.equal(401);
    expect((await post(app.url, '/api/auth/login', { ...body, password: next })).status).to.equal(
      200,
    );
  });

  it('is refused for guests, who have no password', async () => {
    const guest = await app.guest();
    const error = await guest.expectError('user:changePassword', { current: 'x', next });
    expect(error.code).to.equal('conflict');
  });

  it('leaves no session of a simultaneous sign-in with the old one', async () => {
    for (let round = 0; round < 15; round += 1) {
      const body = newForm();
      const desk = await enterAs(app.url, 'register', body);
      const logins = Array.from({ length: 4 }, () => post(app.url, '/api/auth/login', body));
      const [responses] = await Promise.all([
        Promise.all(logins),
        desk.send('user:changePassword', { current: password, next }),
      ]);
      for (const response of responses) {
        const { http } =
          response.status === 200 ? await opens(app.url, cookieOf(response)) : { http: 401 };
        expect(http).to.equal(401);
      }
      const { sessions } = await desk.send('session:list', {});
      expect(sessions).to.have.length(1);
      desk.close();
    }
  });

  it('succeeds for one of two simultaneous changes', async () => {
    const ann = await enterAs(app.url, 'register', newForm());
    const change = (to: string) =>
      ann.send('user:changePassword', { current: password, next: to }).then(
        () => 'changed',
        () => 'refused',
      );
    const both = await Promise.all([change('the first new one'), change('the second new one')]);
    expect(both.sort()).to.deep.equal(['changed', 'refused']);
    await connectAs(app.url, ann.cookie);
  });
});
