/** Search equals a plain scan of all visible messages, after any changes, with any part of them indexed. */
import { expect } from 'chai';
import { fill, fillSlice } from '../../server/search/filling.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Random } from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { describeTopologies, type Topology } from '../support/topologies.ts';

/** At length, in each of the two topologies: a thousand together. */
const questions = 500;

/** Words of six scripts: some contain others, some differ only in case and accents. */
const vocabulary = [
  ...['tea', 'Teapot', 'steam', 'the', 'crème', 'Creme', 'naïve', 'zz', 'c++', 'a1', 'tea-time'],
  ...['чай', 'Чайник', 'привет', 'Ёлка'],
  ...['東京', '東京タワー', '京都', 'お茶', '世界', '你好世界'],
  ...['안녕', '안녕하세요', '세계'],
  ...['شاي', 'السلام', 'سَلام', 'عليكم'],
  ...['τσάι', 'Οδυσσεύς', 'καλημέρα', '🎉', '😀'],
];

/** Folds like shared/folding.ts, by another method that suffices for these words. */
const plain = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u064b-\u065f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ');

const textOf = (random: Random) =>
  Array.from({ length: random.int(1, 6) }, () => random.pick(vocabulary)).join(
    random.pick([' ', ' ', '']),
  );

/** Some letters of a word, sometimes followed by another word. */
function soughtIn(random: Random): string {
  const letters = [...random.pick(vocabulary)];
  const from = random.int(0, letters.length - 1);
  const part = letters.slice(from, random.int(from + 1, letters.length)).join('');
  // A vowel sign alone folds to nothing.
  if (plain(part) === '') return soughtIn(random);
  return random.chance(0.2) ? `${part} ${random.pick(vocabulary)}` : part;
}

interface Said {
  id: string;
  timelineId: string;
  authorId: string;
  body: string;
}

interface SearchPlace {
  owner: Person;
  people: Person[];
  serverId: string;
  code: string;
  channels: string[];
  timelines: string[];
  said: Map<string, Said>;
}

async function openPlace(topology: Topology): Promise<SearchPlace> {
  const [owner, ...people] = await Promise.all(Array.from({ length: 4 }, () => topology.person()));
  const { server } = await owner!.send('server:create', { name: 'Searched' });
  const { id: serverId } = server;
  const { code } = (await owner!.send('invite:create', { serverId })).invite;
  for (const person of people) await person.send('server:join', { code });
  const made = await Promise.all(
    ['one', 'two'].map((name) => owner!.send('channel:create', { serverId, name })),
  );
  const userIds = people.slice(0, 2).map(({ id }) => id);
  const { conversation } = await owner!.send('conversation:create', { userIds });
  const channels = made.map(({ channel }) => channel.id);
  const timelines = [server.defaultChannelId, ...channels, conversation.id];
  return { owner: owner!, people, serverId, code, channels, timelines, said: new Map() };
}

const maybe = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.then(
    (value) => value,
    () => undefined,
  );

async function say(random: Random, { owner, people, timelines, said }: SearchPlace): Promise<void> {
  const by = random.pick([owner, ...people]);
  const timelineId = random.pick(timelines);
  const sent = await maybe(by.send('message:send', { timelineId, body: textOf(random) }));
  if (sent === undefined) return;
  const { id, authorId, body } = sent.message;
  said.set(id, { id, timelineId, authorId, body });
}

async function change(random: Random, place: SearchPlace): Promise<void> {
  const { owner, people, said } = place;
  const one = [...said.values()].at(random.int(0, Math.max(0, said.size - 1)));
  const author = [owner, ...people].find(({ id }) => id === one?.authorId);
  if (one === undefined || author === undefined) return;
  if (random.chance(0.4)) {
    if (await maybe(owner.send('message:delete', { messageId: one.id }))) said.delete(one.id);
    return;
  }
  const edited = await maybe(
    author.send('message:edit', { messageId: one.id, body: textOf(random) }),
  );
  if (edited !== undefined) one.body = edited.message.body;
}

async function moveRights(random: Random, place: SearchPlace): Promise<void> {
  const { owner, people, serverId, code, channels } = place;
  const person = random.pick(people);
  const channelId = random.pick(channels);
  const ways = [
    () => owner.send('member:remove', { serverId, userId: person.id }),
    () => person.send('server:join', { code }),
    () => person.send('server:join', { code }),
    () => owner.send('channel:update', { channelId, private: true, userIds: [person.id] }),
    () => owner.send('channel:update', { channelId, private: false }),
  ];
  await maybe<unknown>(random.pick(ways)());
}

async function sees(person: Person, timelineId: string): Promise<boolean> {
  return (await maybe(person.send('message:list', { timelineId, limit: 1 }))) !== undefined;
}

async function found(person: Person, input: Input<'message:search'>): Promise<string[]> {
  const ids: string[] = [];
  let last = '';
  for (let before: string | undefined; ;) {
    const page = await person.send('message:search', { ...input, ...(before && { before }) });
    for (const { message } of page.hits) {
      if (last !== '') expect(message.createdAt <= last, 'newest first').to.equal(true);
      last = message.createdAt;
      ids.push(message.id);
    }
    before = page.more;
    if (before === undefined) return ids;
  }
}

async function compare(random: Random, place: SearchPlace): Promise<void> {
  const person = random.pick([place.owner, ...place.people]);
  const by = random.chance(0.2) ? random.pick([place.owner, ...place.people]) : undefined;
  const words = soughtIn(random);
  const isExact = random.chance(0.2);
  const query = [isExact ? `"${words}"` : words, by && `from:<@${by.id}>`]
    .filter(Boolean)
    .join(' ');
  const seen = new Map(
    await Promise.all(place.timelines.map(async (id) => [id, await sees(person, id)] as const)),
  );
  const wanted = isExact ? [plain(words)] : plain(words).split(' ');
  const scanned = [...place.said.values()].filter(
    ({ timelineId, body, authorId }) =>
      seen.get(timelineId) === true &&
      (by === undefined || authorId === by.id) &&
      wanted.every((word) => plain(body).includes(word)),
  );
  const ids = await found(person, { query, limit: random.int(1, 25) });
  expect(new Set(ids).size, `${query}: each once`).to.equal(ids.length);
  expect(ids.toSorted(), query).to.deep.equal(scanned.map(({ id }) => id).toSorted());
}

describeTopologies(`search, with LAW_SEED=${lawSeed}`, (topology) => {
  it('finds what a plain scan finds, through edits, deletions and changes of rights', async () => {
    const random = lawRandom();
    let place = await openPlace(topology());
    for (let asked = 1; asked <= atLength(60, questions); asked += 1) {
      // A fresh place limits the pages: a search for one letter, hit by hit, takes as many as there are messages.
      if (asked % 50 === 0) place = await openPlace(topology());
      for (let acts = random.int(0, 4); acts > 0; acts -= 1) {
        const roll = random.int(1, 10);
        await (roll <= 6 ? say : roll <= 8 ? change : moveRights)(random, place);
      }
      const node = random.pick(topology().nodes);
      if (random.chance(0.2)) await fill(node);
      else if (random.chance(0.3)) await fillSlice(node.db, random.int(1, 5));
      await compare(random, place);
    }
  });

  it('shows no message sent after a kick, in any interleaving of search and kick', async () => {
    const random = lawRandom();
    for (let round = 0; round < atLength(4, 40); round += 1) {
      const place = await openPlace(topology());
      const { owner, serverId, timelines } = place;
      const [person] = place.people;
      const [timelineId = ''] = timelines;
      await owner.send('message:send', { timelineId, body: 'secret before' });
      if (random.chance(0.5)) await fill(random.pick(topology().nodes));
      let isOver = false;
      const bodies = new Set<string>();
      const searching = Array.from({ length: 3 }, async () => {
        while (!isOver)
          for (const { message } of (await person!.send('message:search', { query: 'secret' }))
            .hits)
            bodies.add(message.body);
      });
      const kicked = owner.send('member:remove', { serverId, userId: person!.id });
      await kicked;
      await owner.send('message:send', { timelineId, body: 'secret after' });
      const { hits, atLeast } = await person!.send('message:search', { query: 'secret' });
      isOver = true;
      await Promise.all(searching);
      expect({ hits, atLeast }).to.deep.equal({ hits: [], atLeast: 0 });
      expect([...bodies].filter((body) => body !== 'secret before')).to.be.empty;
    }
  });
});
