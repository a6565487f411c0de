import { readFileSync } from 'node:fs';
import { AssertionError, expect } from 'chai';
import type { ChangeOf } from '../../shared/changes.ts';
import type { Failure } from '../../shared/failure.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { replyOf } from '../support/auth.ts';
import { atLength } from '../support/length.ts';
import { post, type Person } from '../support/person.ts';

const file = new URL('../fixtures/naughty-strings.json', import.meta.url);
/** Strings that PostgreSQL cannot store, or that UTF-8 cannot encode. */
const impossible = ['a\0b', '\0', 'half \ud83d', '\ude00 half', '\ude00\ud83d'];
const strings = [...(JSON.parse(readFileSync(file, 'utf8')) as string[]), ...impossible];
/** Strings to try as names: every third one with `npm test`. */
const names = strings.filter((_, i) => i % atLength(3, 1) === 0);
const sayable = strings.filter((text) => text.trim() !== '' && !impossible.includes(text));

describe('naughty strings', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    ben = await app.person('Ben');
    const { server } = await ann.send('server:create', { name: 'Ours' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    serverId = server.id;
    channelId = server.defaultChannelId;
  });
  after(() => app.close());

  async function offer(
    field: string,
    offered: string[],
    take: (text: string) => Promise<Failure | undefined>,
  ) {
    const taken: string[] = [];
    for (const text of offered) {
      const failure = await take(text);
      if (failure === undefined) taken.push(text);
      else expect(failure, JSON.stringify(text)).to.include({ code: 'invalid', field });
    }
    return taken;
  }

  it('are sent and received exactly as they were written', async () => {
    await ben.send('channel:join', { channelId });
    const said = await offer('body', strings, async (body) => {
      const sent = ann.send('message:send', { timelineId: channelId, body });
      return sent.then(({ message }) => void expect(message.body).to.equal(body), asFailure);
    });
    expect(said).to.deep.equal(sayable);
    expect(said).to.have.length.of.at.least(510);
    await ben.waitFor('changes', ({ changes }) => changes.some(isCreation(said.at(-1))));
    const received = ben.received('changes').flatMap(({ changes }) => changes.filter(isCreation()));
    expect(received.map(({ message }) => message.body)).to.deep.equal(said);
    expect(await readAll(ben, channelId)).to.deep.equal(said);
  });

  it('as names of a server are stored in NFC', async () => {
    await ben.send('server:open', { serverId });
    const taken = await offer('name', names, async (name) => {
      const sent = ann.send('server:update', { serverId, name });
      return sent.then(({ server }) => void expect(server.name).to.equal(nfc(name)), asFailure);
    });
    expect(taken).to.have.length.of.at.least(atLength(130, 400));
    await waitForUpdate('server:updated', ({ server }) => server.name, taken.map(nfc));
    const { servers } = await ben.send('server:list', {});
    expect(servers.find(({ id }) => id === serverId)?.name).to.equal(nfc(taken.at(-1)!));
  });

  it('as names of a channel are stored in NFC', async () => {
    const taken = await offer('name', names, async (name) => {
      const sent = ann.send('channel:update', { channelId, name });
      return sent.then(({ channel }) => void expect(channel.name).to.equal(nfc(name)), asFailure);
    });
    expect(taken).to.have.length.of.at.least(atLength(75, 240));
    await waitForUpdate('channel:updated', ({ channel }) => channel.name, taken.map(nfc));
    expect((await channel()).name).to.equal(nfc(taken.at(-1)!));
  });

  it('as the topic of a channel are stored exactly', async () => {
    const before = (await channel()).version;
    const taken = await offer('topic', names, async (topic) => {
      const sent = ann.send('channel:update', { channelId, topic });
      return sent.then(({ channel }) => void expect(channel.topic).to.equal(topic), asFailure);
    });
    expect(taken).to.have.length.of.at.least(atLength(170, 510));
    // The first string is empty, as the topic was, so it is no change.
    const later = ({ version, channel }: ChangeOf<'channel:updated'>) =>
      version > before ? channel.topic : undefined;
    await waitForUpdate('channel:updated', later, taken.slice(1));
    expect((await channel()).topic).to.equal(taken.at(-1));
  });

  it('as names of people are stored in NFKC', async () => {
    const taken = await offer('displayName', names, async (displayName) => {
      const response = await post(app.url, '/api/auth/guest', { displayName });
      const { user, error } = await replyOf(response);
      expect(response.status).to.equal(error === undefined ? 201 : 400);
      if (error === undefined) expect(user?.name).to.equal(displayName.normalize('NFKC'));
      return error;
    });
    expect(taken).to.have.length.of.at.least(atLength(130, 400));
  });

  it('as usernames are plain letters, or refused', async () => {
    const password = 'a long enough sentence';
    const known = new Set<string>();
    const taken = await offer('username', names, async (username) => {
      const { user, error } = await replyOf(
        await post(app.url, '/api/auth/register', { username, password }),
      );
      const folded = username.normalize('NFKC').toLowerCase();
      // Several strings are one name in different spelling.
      if (error?.code === 'conflict') return void expect(known).to.include(folded);
      if (error === undefined)
        expect(user?.username)
          .to.equal(folded)
          .and.match(/^[a-z0-9._-]+$/);
      known.add(folded);
      return error;
    });
    expect(taken).to.have.length.of.at.least(atLength(15, 60));
  });

  async function waitForUpdate<T extends 'server:updated' | 'channel:updated'>(
    type: T,
    read: (change: ChangeOf<T>) => string | undefined,
    expected: string[],
  ) {
    // The answer arrives after all earlier changes.
    await ben.send('session:list', {});
    const rounds = ben.received('changes').filter(({ room }) => room === `server:${serverId}`);
    const all = rounds.flatMap(({ changes }) => changes).filter((change) => change.type === type);
    const received = all.map((change) => read(change as unknown as ChangeOf<T>));
    expect(received.filter((text) => text !== undefined)).to.deep.equal(withoutRepeats(expected));
  }

  async function channel() {
    const entry = await ann.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error(`no snapshot, but ${entry.status}`);
    return entry.state.channels[0]!;
  }
});

const nfc = (text: string) => text.normalize('NFC');
const withoutRepeats = (texts: string[]) => texts.filter((text, i) => text !== texts[i - 1]);

/** Returns what `send` threw. Rethrows assertions of this test. */
function asFailure(error: unknown): Failure {
  if (error instanceof AssertionError) throw error;
  return error as Failure;
}

const isCreation =
  (body?: string) =>
  (change: { type: string }): change is ChangeOf<'message:created'> =>
    change.type === 'message:created' &&
    (body === undefined || (change as ChangeOf<'message:created'>).message.body === body);

async function readAll(person: Person, timelineId: string, after = 0): Promise<string[]> {
  const { messages, more } = await person.send('message:list', { timelineId, after, limit: 100 });
  const bodies = messages.map(({ body }) => body);
  if (!more.after) return bodies;
  return [...bodies, ...(await readAll(person, timelineId, messages.at(-1)!.position))];
}
