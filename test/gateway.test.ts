/** The HTTP gateway: the same commands by the same rules, and nothing that only HTTP could do wrong. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { v7, validate as isUuid } from 'uuid';
import { failures, type Failure, type FailureCode } from '../shared/failure.ts';
import { limits } from '../shared/limits.ts';
import { roadsOf, type Contract } from '../shared/contract.ts';
import { commands, type CommandName } from '../shared/protocol.ts';
import { startApp, type TestApp } from './support/app.ts';
import type { Person } from './support/person.ts';

interface Ask {
  /** Written into the path's `[…]`. */
  path?: Record<string, string>;
  query?: string;
  body?: object | string;
  headers?: Record<string, string>;
  as?: Person | undefined;
  /** Which of the contract's, if not the first. */
  road?: number;
}

interface Answer {
  status: number;
  headers: Headers;
  value: Record<string, unknown>;
  error: Failure | undefined;
}

/** The two halves of one of a contract's roads, and the keys that its path holds. */
function httpOf(command: CommandName, road = 0) {
  const [method = '', path = ''] = roadsOf(commands[command])[road]?.split(' ') ?? [];
  const parameters = [...path.matchAll(/\[(\w+)\]/g)].map(([, key]) => key!);
  return { method, path, parameters, hasBody: method === 'POST' || method === 'PATCH' };
}

/** What needs no right in anything that there is. */
const isForAnyone = new Set<CommandName>([
  'server:list',
  'server:create',
  'conversation:list',
  'conversation:create',
  'user:search',
  'friendRequest:create',
  'friendRequest:list',
  'friendship:list',
]);

/** What the body names, where the path names nothing. */
const nowhere: Record<string, Ask> = {
  '/api/messages': { body: { timelineId: v7(), body: 'x' } },
  '/api/friendships': { body: { userId: v7() } },
};

describe('the gateway', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let stranger: Person;
  /** Somebody who is not connected. */
  let absentee: string;
  let serverId: string;
  let channelId: string;

  before(async () => {
    app = await startApp();
    const gone = await app.person();
    absentee = gone.id;
    gone.close();
    [ann, ben, stranger] = [await app.person('Ann'), await app.person('Ben'), await app.person()];
    const { server } = await ann.send('server:create', { name: 'Ours' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    serverId = server.id;
    channelId = server.defaultChannelId;
  });
  after(() => app.close());

  /** As a script asks: a cookie, and no Origin. */
  async function ask(
    command: CommandName,
    { path = {}, query, body, headers, as, road }: Ask = {},
  ): Promise<Answer> {
    const { method, path: pattern, hasBody } = httpOf(command, road);
    const address = pattern.replace(/\[(\w+)\]/g, (_all: string, key: string) => path[key] ?? v7());
    const response = await fetch(`${app.url}${address}${query === undefined ? '' : `?${query}`}`, {
      method,
      headers: {
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...(as === undefined ? {} : { cookie: as.cookie }),
        ...headers,
      },
      ...(hasBody ? { body: typeof body === 'string' ? body : JSON.stringify(body ?? {}) } : {}),
    });
    const text = await response.text();
    const value = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return {
      status: response.status,
      headers: response.headers,
      value,
      error: value.error as Failure | undefined,
    };
  }

  async function refuses(code: FailureCode, command: CommandName, how: Ask) {
    const answer = await ask(command, how);
    const about = `${command} ${JSON.stringify(answer.value)}`;
    expect(answer.status, about).to.equal(failures[code].status);
    expect(answer.error, about).to.include({ code, retryable: failures[code].retryable });
    expect(isUuid(answer.error?.requestId), about).to.equal(true);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    return answer;
  }

  const say = async (body: string) =>
    (await ann.send('message:send', { timelineId: channelId, body })).message.id;
  const newChannel = async () =>
    (await ann.send('channel:create', { serverId, name: 'aside' })).channel.id;
  const newCategory = async () => ({
    categoryId: (await ann.send('category:create', { serverId, name: 'Rooms' })).category.id,
  });
  const newServer = async () => (await ann.send('server:create', { name: 'Else' })).server.id;

  /** Somebody who is not connected, and has asked Ann to be friends. */
  const newAsker = async () => {
    const asker = await app.person();
    await asker.send('friendRequest:create', { userId: ann.id });
    asker.close();
    return asker.id;
  };
  const requestWith = async (userId: string) => {
    const { friendRequests } = await ann.send('friendRequest:list', {});
    const known = friendRequests.find((one) => [one.senderId, one.recipientId].includes(userId));
    return { requestId: known!.id };
  };
  const newRequest = async () => {
    await ann.send('friendRequest:create', { userId: absentee });
    return requestWith(absentee);
  };
  const newFriendship = async () => {
    const userId = await newAsker();
    return (await ann.send('friendship:create', { userId })).friendship.id;
  };

  const newGroup = async () => {
    const userIds = [ben.id, (await app.person()).id];
    return (await ann.send('conversation:create', { userIds })).conversation.id;
  };

  /** Every command by HTTP, its status when it succeeds, a request that does, and which of its roads that takes. */
  const successes: [CommandName, number, () => Promise<Ask>, road?: number][] = [
    ['server:list', 200, async () => ({})],
    ['server:create', 201, async () => ({ body: { name: 'New' } })],
    ['server:open', 200, async () => ({ path: { serverId } })],
    ['server:update', 200, async () => ({ path: { serverId }, body: { name: 'Ours still' } })],
    ['server:delete', 204, async () => ({ path: { serverId: await newServer() } })],
    ['member:list', 200, async () => ({ path: { serverId }, query: 'limit=1' })],
    ['category:create', 201, async () => ({ path: { serverId }, body: { name: 'New' } })],
    ['category:list', 200, async () => ({ path: { serverId } })],
    ['category:update', 200, async () => ({ path: await newCategory(), body: { position: 1 } })],
    ['category:delete', 204, async () => ({ path: await newCategory() })],
    ['channel:create', 201, async () => ({ path: { serverId }, body: { name: 'new' } })],
    ['channel:update', 200, async () => ({ path: { channelId }, body: { topic: 'All of it' } })],
    ['channel:delete', 204, async () => ({ path: { channelId: await newChannel() } })],
    ['message:send', 201, async () => ({ body: { timelineId: channelId, body: 'By HTTP' } })],
    [
      'message:list',
      200,
      async () => ({ path: { timelineId: channelId }, query: 'before=9&limit=2' }),
    ],
    [
      'message:edit',
      200,
      async () => ({ path: { messageId: await say('helo') }, body: { body: 'hello' } }),
    ],
    ['message:delete', 204, async () => ({ path: { messageId: await say('a slip') } })],
    ['user:search', 200, async () => ({ query: 'query=2026&limit=5' })],
    ['friendRequest:create', 201, async () => ({ body: { userId: absentee, note: 'Hi' } })],
    ['friendRequest:list', 200, async () => ({})],
    [
      'friendRequest:update',
      200,
      async () => ({
        path: await requestWith(await newAsker()),
        body: { status: 'accepted' },
      }),
    ],
    ['friendRequest:delete', 204, async () => ({ path: await newRequest() })],
    ['friendship:list', 200, async () => ({})],
    ['friendship:create', 201, async () => ({ body: { userId: await newAsker() } })],
    [
      'friendship:update',
      200,
      async () => ({ path: { friendshipId: await newFriendship() }, body: { nickname: 'Nick' } }),
    ],
    ['friendship:delete', 204, async () => ({ path: { friendshipId: await newFriendship() } })],
    ['conversation:list', 200, async () => ({})],
    ['conversation:create', 201, async () => ({ body: { userIds: [ben.id] } })],
    ['conversation:open', 200, async () => ({ path: { conversationId: await newGroup() } })],
    [
      'conversation:update',
      200,
      async () => ({ path: { conversationId: await newGroup() }, body: { name: 'Us' } }),
    ],
    ['conversation:delete', 204, async () => ({ path: { conversationId: await newGroup() } })],
    [
      'message:send',
      201,
      async () => ({ path: { timelineId: await newGroup() }, body: { body: 'To you' } }),
      1,
    ],
    [
      'message:list',
      200,
      async () => ({ path: { timelineId: await newGroup() }, query: 'limit=2' }),
      1,
    ],
  ];
  const all = successes.map(([command, , , road]) => [command, road ?? 0] as const);

  it('reaches every contract that names a path, each by one of its own', () => {
    const named = Object.entries<Contract>(commands).flatMap(([name, contract]) =>
      roadsOf(contract).map((_, road) => [name, road]),
    );
    expect(all).to.have.deep.members(named);
    const addresses = all.map(([command, road]) => {
      const { method, path } = httpOf(command, road);
      return `${method} ${path.replace(/\[\w+\]/g, '[]')}`;
    });
    expect(new Set(addresses).size).to.equal(all.length);
    for (const [command, road] of all) {
      const { method, parameters } = httpOf(command, road);
      expect(method).to.be.oneOf(['GET', 'POST', 'PATCH', 'DELETE']);
      expect(Object.keys(commands[command].input.shape)).to.include.members(parameters);
    }
  });

  for (const [command, success, make, road] of successes) {
    const { method, path, parameters, hasBody } = httpOf(command, road);
    const prepare = async (): Promise<Ask> => ({ ...(await make()), ...(road && { road }) });

    describe(`${method} ${path}`, () => {
      it('does what its command does, under the fitting status', async () => {
        const answer = await ask(command, { ...(await prepare()), as: ann });
        expect(answer.status, JSON.stringify(answer.value)).to.equal(success);
        expect(answer.headers.get('set-cookie')).to.equal(null);
        if (success === 204) expect(answer.value).to.deep.equal({});
        else commands[command].output.parse(answer.value);
      });

      it('is for those who are signed in, and not for other sites', async () => {
        const how = await prepare();
        await refuses('unauthenticated', command, how);
        await refuses('unauthenticated', command, { ...how, headers: { cookie: 'parley=forged' } });
        for (const origin of ['https://evil.example', 'null', `${app.url}.evil.example`])
          await refuses('forbidden', command, { ...how, as: ann, headers: { origin } });
        const crossSite = { 'sec-fetch-site': 'cross-site' };
        await refuses('forbidden', command, { ...how, as: ann, headers: crossSite });
      });

      it('knows no other method', async () => {
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
        it('takes one JSON object of what it knows, and not too much of it', async () => {
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
            // More than is on its way at once: it is refused while it is still being sent.
            x: 'x'.repeat(limits.packetBytes * 40),
          });
          await refuses('invalid', command, { ...how, body: tooMuch });
          expect('polluted' in {}).to.equal(false);
        });
      else
        it('takes no query that it does not know, and nothing twice', async () => {
          const how = { ...(await prepare()), as: ann };
          const more = [how.query, 'isAdmin=true'].filter((part) => part !== undefined);
          const { error } = await refuses('invalid', command, { ...how, query: more.join('&') });
          expect(error?.field).to.equal('isAdmin');
          await refuses('invalid', command, { ...how, query: 'limit=1&limit=2' });
          await refuses('invalid', command, { ...how, query: '__proto__=1' });
        });

      if (!isForAnyone.has(command))
        it('finds nothing that is not there, and nothing for those who may not see it', async () => {
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

  it('forbids what a member may not do', async () => {
    const messageId = await say('Ann’s own');
    const path = { serverId, channelId, messageId };
    for (const command of ['server:update', 'channel:create', 'channel:update'] as const)
      await refuses('forbidden', command, { path, body: { name: 'Ben was here' }, as: ben });
    await refuses('forbidden', 'message:edit', { path, body: { body: 'Ben’s' }, as: ben });
    for (const command of ['server:delete', 'channel:delete', 'message:delete'] as const)
      await refuses('forbidden', command, { path, as: ben });
    await refuses('forbidden', 'server:create', { body: { name: 'Mine' }, as: await app.guest() });
  });

  it('says what cannot be done in the present state', async () => {
    const messageId = await say('soon gone');
    await ann.send('message:delete', { messageId });
    await refuses('conflict', 'message:edit', {
      path: { messageId },
      body: { body: 'x' },
      as: ann,
    });
    await refuses('conflict', 'channel:delete', { path: { channelId }, as: ann });
    const taken = await say('taken');
    const again = { timelineId: channelId, body: 'taken', id: taken };
    await refuses('conflict', 'message:send', { body: again, as: ben });
    await refuses('conflict', 'server:create', {
      body: { name: 'x', id: taken.replace(/^./, '0') && serverId },
      as: ben,
    });
  });

  it('a message sent by HTTP is heard by those who listen', async () => {
    await ben.send('channel:join', { channelId });
    const { value } = await ask('message:send', {
      body: { timelineId: channelId, body: 'Hear, hear' },
      as: ann,
    });
    const { id } = value.message as { id: string };
    await ben.hears('changes', ({ changes }) =>
      changes.some((change) => 'message' in change && change.message.id === id),
    );
  });

  it('opening a server by HTTP enters nothing and makes nobody online', async () => {
    const dora = await app.person('Dora');
    const { invite } = await ann.send('invite:create', { serverId });
    await dora.send('server:join', { code: invite.code });
    dora.close();
    const room = `server:${serverId}`;
    const inRoom = () => [...(app.app.io.of('/').adapter.rooms.get(room) ?? [])];
    const before = inRoom();
    const { value } = await ask('server:open', { path: { serverId }, as: dora });
    expect(value).to.include({ status: 'snapshot', room });
    expect(inRoom()).to.deep.equal(before);
    expect(app.app.io.of('/').sockets.size).to.equal(3 + 1);
  });

  it('says when to come again', async () => {
    const slow = await startApp({ PARLEY_RATE_SCALE: '0.1' });
    const { cookie } = await slow.person();
    const statuses: number[] = [];
    for (let i = 0; i < 14; i += 1) {
      const response = await fetch(`${slow.url}/api/servers`, { headers: { cookie } });
      statuses.push(response.status);
      if (response.status !== 429) continue;
      const { error } = (await response.json()) as { error: Failure };
      expect(error).to.include({ code: 'rate_limited', retryable: true });
      expect(error.retryAfterMs).to.be.within(1, 10_000);
      expect(Number(response.headers.get('retry-after'))).to.equal(
        Math.ceil(error.retryAfterMs! / 1_000),
      );
    }
    expect(statuses).to.deep.equal([...Array<number>(12).fill(200), 429, 429]);
    await slow.close();
  });

  it('a session that ended opens nothing', async () => {
    const eve = await app.person();
    await ask('server:list', { as: eve });
    await eve.send('session:logout', {});
    await refuses('unauthenticated', 'server:list', { as: eve });
  });

  it('request lines that are no addresses harm nothing', async () => {
    const { hostname, port } = new URL(app.url);
    for (const target of [
      '//',
      '///',
      '//[',
      '/\\',
      '*',
      'http://[',
      'http://',
      '/%',
      '/api/servers/%00',
      '/api//servers',
      '?',
      '/api/servers?%',
      '/api/servers??=&&=',
    ]) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: x\r\nCookie: ${ann.cookie}\r\nConnection: close\r\n\r\n`,
      );
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString('latin1'), target).to.match(/^HTTP\/1\.1 [2-4]\d\d /);
      socket.destroy();
    }
  });

  it('text that is not UTF-8 is refused, not replaced', async () => {
    const response = await fetch(`${app.url}/api/messages`, {
      method: 'POST',
      headers: { cookie: ann.cookie, 'content-type': 'application/json' },
      body: Buffer.concat([
        Buffer.from(`{"timelineId":"${channelId}","body":"`),
        Buffer.of(0xff),
        Buffer.from('"}'),
      ]),
    });
    expect(response.status).to.equal(400);
  });
});
