import { expect } from 'chai';
import { v7, validate as isUuid } from 'uuid';
import type { Failure } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { httpRoutesOf, type Contract } from '../../shared/contract.ts';
import { commands, type CommandName } from '../../shared/protocol.ts';
import { openGatewayFixture, httpOf, type GatewayRequest, type GatewayFixture } from './fixture.ts';
import { successes } from './routes.ts';

/** Commands that need no right in an existing object. */
const isForAnyone = new Set<CommandName>([
  'server:list',
  'server:create',
  'conversation:list',
  'conversation:create',
  'channel:search',
  'member:search',
  'message:search',
  'user:search',
  'friendRequest:create',
  'friendRequest:list',
  'friendship:list',
]);

/** Where the path names no object, the body names one that does not exist. */
const nowhere: Record<string, GatewayRequest> = {
  '/api/messages': { body: { timelineId: v7(), body: 'x' } },
  '/api/friendships': { body: { userId: v7() } },
};

describe('the gateway', () => {
  let house: GatewayFixture;
  before(async () => void (house = await openGatewayFixture()));
  after(() => house.app.close());

  const all = successes.map(([command, , , route]) => [command, route ?? 0] as const);

  it('reaches every contract that names a path, each by its own path', () => {
    const named = Object.entries<Contract>(commands).flatMap(([name, contract]) =>
      httpRoutesOf(contract).map((_, route) => [name, route]),
    );
    expect(all).to.have.deep.members(named);
    const addresses = all.map(([command, route]) => {
      const { method, path } = httpOf(command, route);
      return `${method} ${path.replace(/\[\w+\]/g, '[]')}`;
    });
    expect(new Set(addresses).size).to.equal(all.length);
    for (const [command, route] of all) {
      const { method, parameters } = httpOf(command, route);
      expect(method).to.be.oneOf(['GET', 'POST', 'PATCH', 'DELETE']);
      expect(Object.keys(commands[command].input.shape)).to.include.members(parameters);
    }
  });

  for (const [command, success, make, route] of successes) {
    const { method, path, parameters, hasBody } = httpOf(command, route);
    const prepare = async (): Promise<GatewayRequest> => ({
      ...(await make(house)),
      ...(route && { route }),
    });

    describe(`${method} ${path}`, () => {
      it('runs its command, with the matching status', async () => {
        const { ann, ask } = house;
        const answer = await ask(command, { ...(await prepare()), as: ann });
        expect(answer.status, JSON.stringify(answer.value)).to.equal(success);
        expect(answer.headers.get('set-cookie')).to.equal(null);
        if (success === 204) expect(answer.value).to.deep.equal({});
        else commands[command].output.parse(answer.value);
      });

      it('requires a session, and refuses other sites', async () => {
        const { app, ann, refuses } = house;
        const how = await prepare();
        await refuses('unauthenticated', command, how);
        await refuses('unauthenticated', command, { ...how, headers: { cookie: 'parley=forged' } });
        for (const origin of ['https://evil.example', 'null', `${app.url}.evil.example`])
          await refuses('forbidden', command, { ...how, as: ann, headers: { origin } });
        const crossSite = { 'sec-fetch-site': 'cross-site' };
        await refuses('forbidden', command, { ...how, as: ann, headers: crossSite });
      });

      it('has no other method', async () => {
        const { app, ann } = house;
        const response = await fetch(`${app.url}${path.replace(/\[\w+\]/g, v7())}`, {
          method: 'PUT',
          headers: { cookie: ann.cookie },
        });
        expect(response.status).to.equal(405);
        expect(response.headers.get('allow')?.split(', ')).to.include(method);
        const { error } = (await response.json()) as { error: Failure };
        expect(error).to.include({ code: 'invalid', retryable: false });
        expect(isUuid(error.requestId)).to.equal(true);
      });

      if (parameters.length > 0)
        it('takes ids in its path only, and only ids', async () => {
          const { ann, refuses } = house;
          const how = await prepare();
          for (const key of parameters)
            for (const id of ['1', 'null', '..%2f', "'%20or%201=1--", '__proto__', `${v7()}0`]) {
              const { error } = await refuses('invalid', command, {
                ...how,
                path: { [key]: id },
                as: ann,
              });
              expect(error?.field).to.equal(key);
            }
          const [key = ''] = parameters;
          const twice = hasBody
            ? { ...how, body: { ...(how.body as object), [key]: v7() } }
            : { ...how, query: `${key}=${v7()}` };
          expect((await refuses('invalid', command, { ...twice, as: ann })).error?.field).to.equal(
            key,
          );
        });

      if (hasBody)
        it('takes one JSON object with known keys and a limited size', async () => {
          const { ann, ask, refuses } = house;
          const how = { ...(await prepare()), as: ann };
          for (const type of [
            'text/plain',
            'application/x-www-form-urlencoded',
            'application/jsonp',
            '',
          ]) {
            const answer = await ask(command, { ...how, headers: { 'content-type': type } });
            expect(answer.status, type).to.equal(415);
            expect(answer.error).to.include({ code: 'invalid' });
            expect(isUuid(answer.error?.requestId)).to.equal(true);
          }
          for (const body of ['', '{', '[]', 'null', '"text"', '{}{}', '\ufeff\0'])
            await refuses('invalid', command, { ...how, body });
          const unknown = { ...(how.body as object), isAdmin: true };
          const { error } = await refuses('invalid', command, { ...how, body: unknown });
          expect(error?.field).to.equal('isAdmin');
          for (const key of ['__proto__', 'constructor', 'toString'])
            await refuses('invalid', command, { ...how, body: `{"${key}":{"polluted":true}}` });
          const tooMuch = JSON.stringify({
            ...(how.body as object),
            // More than fits into the buffers, so it is refused while it is still being sent.
            x: 'x'.repeat(limits.packetBytes * 40),
          });
          await refuses('invalid', command, { ...how, body: tooMuch });
          expect('polluted' in {}).to.equal(false);
        });
      else
        it('refuses unknown and repeated query parameters', async () => {
          const { ann, refuses } = house;
          const how = { ...(await prepare()), as: ann };
          const more = [how.query, 'isAdmin=true'].filter((part) => part !== undefined);
          const { error } = await refuses('invalid', command, { ...how, query: more.join('&') });
          expect(error?.field).to.equal('isAdmin');
          await refuses('invalid', command, { ...how, query: 'limit=1&limit=2' });
          await refuses('invalid', command, { ...how, query: '__proto__=1' });
        });

      if (!isForAnyone.has(command))
        it('answers alike for missing and for hidden things', async () => {
          const { ann, stranger, refuses } = house;
          const how = await prepare();
          const { error: hidden } = await refuses('not_found', command, { ...how, as: stranger });
          const elsewhere = nowhere[path] ?? { path: {} };
          const { error: absent } = await refuses('not_found', command, {
            ...how,
            ...elsewhere,
            as: ann,
          });
          expect({ ...hidden, requestId: '' }).to.deep.equal({ ...absent, requestId: '' });
        });
    });
  }
});
