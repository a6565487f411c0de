import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { v7, validate as isUuid } from 'uuid';
import { failures, type Failure } from '../../shared/failure.ts';
import { commands, type CommandName, type Result } from '../../shared/protocol.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { oddPackets, sendMalformed, strangeNames } from '../support/malformed-packets.ts';
import {
  generate,
  mutate,
  nonsense,
  put,
  seeded,
  unusualKeys,
  type Random,
} from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import { openSocket, type Person } from '../support/person.ts';
import { longestTest, timeoutMs } from '../support/time.ts';

const packets = atLength(6_000, 100_000);
const lanes = ['guest', 'guest', 'member', 'member', 'owner', 'owner'] as const;
const inFlight = 60;
const rounds = Math.ceil(packets / lanes.length / inFlight);
const names = Object.keys(commands) as CommandName[];
const seed = Number(process.env.FUZZ_SEED ?? 1);

type Kind = (typeof lanes)[number];
interface Lane {
  kind: Kind;
  random: Random;
  person: Person;
  socket: Socket;
}

describe(`fuzz, with FUZZ_SEED=${seed}`, () => {
  let app: TestApp;
  const counts = new Map<string, number>();
  /** The latest ids or codes of each input key, of existing and of deleted things. */
  const known = new Map<string, string[]>();
  const crashes: unknown[] = [];
  let over = false;
  const crashed = (error: unknown) => void crashes.push(error);

  before(async () => {
    process.on('uncaughtException', crashed);
    process.on('unhandledRejection', crashed);
    app = await startApp();
  });
  after(async () => {
    process.off('uncaughtException', crashed);
    process.off('unhandledRejection', crashed);
    await app.close();
    const sums = [...counts].map(([what, sum]) => `${sum} ${what}`);
    process.stdout.write(`    fuzz, seed ${seed}: ${sums.join(', ')}\n`);
  });

  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const latest = (key: string) => known.get(key)?.at(-1);

  function remember(key: string, value: string | undefined) {
    if (value !== undefined) known.set(key, [...(known.get(key) ?? []), value].slice(-25));
  }

  function learn(value: object) {
    const what = value as {
      server?: { id: string; defaultChannelId: string };
      category?: { id: string };
      channel?: { id: string };
      message?: { id: string };
      invite?: { code: string };
      sessions?: { id: string }[];
      conversation?: { id: string };
      friendRequest?: { id: string };
      friendship?: { id: string };
    };
    const { server, category, channel, message, invite, sessions } = what;
    const { conversation, friendRequest, friendship } = what;
    remember('serverId', server?.id);
    remember('categoryId', category?.id);
    remember('channelId', channel?.id ?? server?.defaultChannelId);
    remember('messageId', message?.id);
    remember('conversationId', conversation?.id);
    remember('code', invite?.code);
    remember('sessionId', sessions?.at(-1)?.id);
    remember('requestId', friendRequest?.id);
    remember('friendshipId', friendship?.id);
  }

  const alias: Record<string, string> = {
    timelineId: 'channelId',
    defaultChannelId: 'channelId',
    id: 'messageId',
    after: 'userId',
  };

  /** Supplies existing values for most keys, so that many packets pass the lookup. */
  const supply =
    ({ user }: Person) =>
    (key: string, random: Random): unknown => {
      if (key === 'current' || key === 'next') return `the password of ${user.username}`;
      if (key === 'id' && random.chance(0.7)) return v7();
      const values = known.get(alias[key] ?? key);
      return values === undefined ? undefined : random.pick(values);
    };

  function judge(result: Result<unknown>, packet: unknown[]) {
    if (!result.ok) judgeFailure(result.error, packet);
    else {
      count('ok');
      learn(commands[packet[0] as CommandName].output.parse(result.value));
    }
  }

  function judgeFailure(failure: Failure, packet: unknown) {
    count(failure.code);
    const rule = failure.code in failures ? failures[failure.code] : undefined;
    const fits = rule?.retryable === failure.retryable && isUuid(failure.requestId);
    // Builds the message only when needed: a hundred thousand of them would take most of the time.
    if (failure.code === 'internal' || !fits)
      expect.fail(
        `${JSON.stringify(packet).slice(0, 800)} was answered ${JSON.stringify(failure)}`,
      );
  }

  function commandPacket({ random, person }: Lane): unknown[] {
    const name = random.pick(names);
    const input = generate(commands[name].input, random, supply(person));
    return [name, random.chance(0.1) ? input : mutate(input, random)];
  }

  function garbage(lane: Lane): unknown[] {
    const { random } = lane;
    if (random.chance(0.2)) return [...commandPacket(lane), nonsense(random)];
    if (random.chance(0.2)) return [random.pick(names)];
    const inputs = Array.from({ length: random.int(0, 3) }, () => nonsense(random));
    return [random.pick([...strangeNames, ...unusualKeys]), ...inputs];
  }

  /** Sends a packet with an ack. It is answered, unless the server has closed the socket for a reason. */
  async function ask({ socket }: Lane, packet: unknown[]): Promise<Result<unknown> | undefined> {
    const [name, ...inputs] = packet;
    try {
      const answer: unknown = await socket
        .timeout(timeoutMs)
        .emitWithAck(name as string, ...inputs);
      judge(answer as Result<unknown>, packet);
      return answer as Result<unknown>;
    } catch (error) {
      if (socket.connected) throw error;
      count('cut off');
      return undefined;
    }
  }

  async function askGarbage(lane: Lane) {
    const packet = garbage(lane);
    const answer = await ask(lane, packet);
    if (answer !== undefined && (answer.ok || answer.error.code !== 'invalid'))
      expect.fail(`${JSON.stringify(packet).slice(0, 800)} was answered ${JSON.stringify(answer)}`);
  }

  function sendUnanswerable({ socket, random }: Lane) {
    count('unanswerable');
    const name = random.pick(names);
    random.pick([
      () => socket.io.engine.write(random.pick(oddPackets)),
      () => socket.emit(name, nonsense(random)),
      () => socket.emit(name, () => undefined, nonsense(random)),
    ])();
  }

  async function sendRound(lane: Lane) {
    const { random, socket } = lane;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        if (random.chance(0.5)) await ask(lane, commandPacket(lane));
        else if (random.chance(0.85)) await askGarbage(lane);
        else sendUnanswerable(lane);
      }),
    );
    if (!socket.connected || random.chance(0.8)) return;
    count('malformed');
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    sendMalformed(socket, random);
    await closed;
  }

  /** Connects a new person. Owners create a server that the others find and destroy. */
  async function arrive(kind: Kind, random: Random): Promise<Lane> {
    const person = kind === 'guest' ? await app.guest() : await app.person();
    remember('userId', person.id);
    const lane = { kind, random, person, socket: person.socket as unknown as Socket };
    await settle(lane);
    return lane;
  }

  async function settle(lane: Lane) {
    if (lane.kind !== 'owner') {
      await ask(lane, ['server:join', { code: latest('code') }]);
      return;
    }
    await ask(lane, ['server:create', { name: 'Somewhere' }]);
    const serverId = latest('serverId');
    await ask(lane, ['category:create', { serverId, name: 'Rooms' }]);
    await ask(lane, ['channel:create', { serverId, name: 'aside' }]);
    await ask(lane, ['invite:create', { serverId }]);
  }

  async function comeBack(lane: Lane): Promise<Lane> {
    const socket = openSocket(app.url, lane.person.cookie) as unknown as Socket;
    const refusal = await arrival(socket);
    // Its session can end during the handshake: then it is closed, and has no session the next time.
    if (refusal === undefined) return socket.connected ? { ...lane, socket } : comeBack(lane);
    judgeFailure(refusal, 'coming back');
    return arrive(lane.kind, lane.random);
  }

  async function goThrough(kind: Kind, number: number) {
    let lane = await arrive(kind, seeded(seed + number));
    for (let round = 1; round <= rounds && !over; round += 1) {
      await sendRound(lane);
      if (!lane.socket.connected) lane = await comeBack(lane);
      if (round % 15 === 0) await settle(lane);
    }
    lane.socket.disconnect();
  }

  it('makes inputs that fit the schema of every command, but not with one more key', () => {
    const random = seeded(seed);
    for (const name of names) {
      const { input } = commands[name];
      for (let i = 0; i < 50; i += 1) generate(input, random);
      for (const key of unusualKeys.filter((key) => !Object.hasOwn(input.shape, key))) {
        const more = put({ ...(generate(input, random) as object) }, key, 1);
        expect(input.safeParse(more).success, `${name} with ${key}`).to.equal(false);
      }
    }
  });

  it(`${packets} packets of every kind harm nothing, and each ack is an answer`, async function () {
    this.timeout(2 * longestTest);
    const builtIn = [Object, Array, Function, String, Promise];
    const prototypes = () => builtIn.map((of) => Object.getOwnPropertyNames(of.prototype));
    const before = prototypes();
    // A lane that fails must not leave the others running into the next test.
    await Promise.all(lanes.map(goThrough)).finally(() => (over = true));
    expect(crashes).to.deep.equal([]);
    expect(prototypes()).to.deep.equal(before);
    expect(counts.get('cut off') ?? 0).to.be.lessThan(packets / 10);
  });

  it('strangers are refused with an answer for every payload with which they connect', async () => {
    const random = seeded(seed);
    for (let i = 0; i < 100; i += 1) {
      const auth = mutate({ protocol: 1, invite: latest('code') }, random);
      const socket = openSocket(app.url, undefined, { ...(auth as object) });
      judgeFailure((await arrival(socket))!, auth);
    }
  });

  it('a caller that is too fast is refused with a retry time', async () => {
    const slow = await startApp({ PARLEY_RATE_SCALE: '0.1' });
    const person = await slow.person();
    const refusals = [];
    for (let i = 0; i < 30; i += 1)
      refusals.push(await person.expectError('invite:get', { code: 'none' }));
    for (const failure of refusals) judgeFailure(failure, 'too fast');
    expect(refusals[0]).to.include({ code: 'not_found' });
    expect(refusals[29]).to.include({ code: 'rate_limited' });
    expect(refusals[29]!.retryAfterMs).to.be.within(1, 10_000);
    await slow.close();
  });

  it('a caller who asks for the impossible is refused', async () => {
    const ann = await app.person();
    const { server } = await ann.send('server:create', { name: 'Mine' });
    const failure = await ann.expectError('server:leave', { serverId: server.id });
    judgeFailure(failure, 'an owner who leaves');
    expect(failure.code).to.equal('conflict');
  });

  it('every error code except busy and internal has occurred', () => {
    const expected = Object.keys(failures).filter((code) => !['busy', 'internal'].includes(code));
    expect([...counts.keys()]).to.include.members(expected);
  });

  it('a message is still delivered afterwards', async () => {
    const ann = await app.person();
    const ben = await app.guest();
    const [lobby] = (await ben.send('server:list', {})).servers;
    const channelId = lobby!.defaultChannelId;
    await ben.send('channel:join', { channelId });
    const { message } = await ann.send('message:send', {
      timelineId: channelId,
      body: 'Still here?',
    });
    const { changes } = await ben.waitFor(
      'changes',
      ({ room }) => room === `timeline:${channelId}`,
    );
    expect(changes).to.deep.equal([{ type: 'message:created', version: message.version, message }]);
  });
});

/** Resolves with undefined when the socket is accepted, or with the refusal. */
const arrival = (socket: Socket) =>
  new Promise<Failure | undefined>((resolve, reject) => {
    for (const event of ['ready', 'disconnect']) socket.once(event, () => resolve(undefined));
    socket.once('connect_error', (error: Error & { data?: Failure }) =>
      error.data === undefined ? reject(error) : resolve(error.data),
    );
  });
