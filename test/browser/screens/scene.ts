/** A server as people furnish it: long names, all kinds of scripts, and something of everything. */
import { mentionOf } from '../../../shared/mentions.ts';
import type { TestApp } from '../../support/app.ts';
import { enterAs, type Person } from '../../support/person.ts';
import { furnishFiles, type FileScene } from './furnish-files.ts';

export interface ScreenScene extends FileScene {
  ann: Person;
  /** The owner of the instance, who has suspended Ned. */
  admin: Person;
  /** The address of Lobby’s channel. */
  lobby: string;
  /** A person in no server, without acquaintances. */
  loner: Person;
  serverId: string;
  /** Channels: the default one, an empty one, a private one, and one with a message of a blocked person. */
  general: string;
  plans: string;
  secret: string;
  office: string;
  code: string;
  pair: string;
  group: string;
}

export const inChannel = ({ serverId }: ScreenScene, channelId: string) =>
  `/s/${serverId}/${channelId}`;

const longName = 'Maximiliana Freifrau von Hohenstein-Wittelsbach-Habsburg-Loth';
const conversation: [name: string, body: string][] = [
  [
    '田中 美咲',
    'ステージングで確認しました。通知の遅延は直っています。東京からの往復は 84 ms です。',
  ],
  ['ليلى حداد', 'صباح الخير! هل يمكننا تأجيل النشر إلى الساعة الثالثة؟'],
  ['W'.repeat(64), 'Fahrzeughaftpflichtversicherungsbeitragsrückerstattungsstelle'.repeat(5)],
  ['Pieter', 'const delay = Math.min(cap, base * 2 ** attempt);\n\tif (a < b && c > d) { go(); }'],
  ['Pieter', `https://grafana.example/d/9f3c1e/cluster?${'orgId=1&from=1763570000000&'.repeat(8)}`],
];

export async function furnishScreens(app: TestApp): Promise<ScreenScene> {
  const [ann, loner] = await Promise.all([app.person(longName), app.person('Loner')]);
  const admin = await app.owner();
  const ned = await app.person('Ned');
  await admin.send('account:update', { userId: ned.id, administrator: true, suspended: true });
  const [lobby] = (await loner.send('server:list', {})).servers;
  await loner.send('server:leave', { serverId: lobby!.id });
  const { server } = await ann.send('server:create', {
    name: 'Softwareentwicklungsgenossenschaft Schleswig-Holstein-Sonderburg',
  });
  const { id: serverId, defaultChannelId: general } = server;
  const { channel } = await ann.send('channel:create', {
    serverId,
    name: 'softwareentwicklung-und-abnahme-',
    topic: 'Cluster, gateway and storage. Production freeze from 18 December. '.repeat(3).trim(),
  });
  const office = (await ann.send('channel:create', { serverId, name: 'مكتب-عمّان' })).channel.id;
  for (const name of ['Softwarequalitätssicherungsmaßnahmenkoordinierung', 'Empty'])
    await ann.send('category:create', { serverId, name });
  const [under] = (await ann.send('category:list', { serverId })).categories;
  await ann.send('channel:update', { channelId: channel.id, categoryId: under!.id });
  const code = (await ann.send('invite:create', { serverId })).invite.code;
  await ann.send('invite:create', { serverId, maxUses: 1, expiresInSeconds: 3_600 });
  const people = new Map<string, Person>();
  for (const [name, body] of conversation) {
    const person = people.get(name) ?? (await app.guest(name));
    if (!people.has(name)) await person.send('server:join', { code });
    people.set(name, person);
    await person.send('message:send', { timelineId: general, body });
  }
  const crowd = [...people.values()].map(({ id }) => id);
  const wanted = { serverId, name: 'vertraulich', private: true, userIds: crowd };
  const secret = (await ann.send('channel:create', wanted)).channel.id;
  const [, , , pieter] = conversation;
  const caller = people.get(pieter![0])!;
  const calling = `${mentionOf(ann.id)}, ask ${mentionOf(crowd[0]!)}`;
  await caller.send('message:send', { timelineId: secret, body: calling });
  for (const body of ['Mine, see https://example.org/a?b=c.', 'Gone', 'Mine, again'])
    await ann.send('message:send', { timelineId: general, body });
  const { messages } = await ann.send('message:list', { timelineId: general });
  await ann.send('message:delete', { messageId: messages.at(-2)!.id });
  const leila = people.get('ليلى حداد')!;
  const pair = await talkWith(ann, [leila.id]);
  const group = await talkWith(ann, crowd, 'Release crew');
  for (const timelineId of [pair, group])
    await leila.send('message:send', { timelineId, body: 'هل الجدول جاهز؟ See `plan.md`.' });
  await acquaint(app, ann, { code, office });
  const files = await furnishFiles(app, ann, { serverId, code });
  const { username } = ann.user;
  await enterAs(app.url, 'login', { username, password: `the password of ${username}` });
  const plans = channel.id;
  const at = `/s/${lobby!.id}/${lobby!.defaultChannelId}`;
  return {
    ann,
    admin,
    lobby: at,
    loner,
    serverId,
    general,
    plans,
    secret,
    office,
    code,
    pair,
    group,
    ...files,
  };
}

const talkWith = async (person: Person, userIds: string[], name?: string) =>
  (await person.send('conversation:create', { userIds, ...(name && { name }) })).conversation.id;

/** Creates favorite and other friends, requests in both directions, and a blocked person with a message. */
async function acquaint(
  app: TestApp,
  ann: Person,
  { code, office }: Pick<ScreenScene, 'code' | 'office'>,
): Promise<void> {
  const named = ['Zoë', 'Grace Owusu', 'Nguyễn Thị Minh Thư', 'Basil', longName.toUpperCase()];
  const [zoe, grace, thu, basil, long] = await Promise.all(named.map((name) => app.person(name)));
  await app.person('Grace Hopper');
  for (const { id } of [zoe!, long!]) await ann.send('friendRequest:create', { userId: id });
  for (const friend of [zoe!, long!]) await friend.send('friendship:create', { userId: ann.id });
  const { friendships } = await ann.send('friendship:list', {});
  const friendshipId = friendships.find(({ userId }) => userId === zoe!.id)!.id;
  await ann.send('friendship:update', { friendshipId, nickname: 'Bosun', favourite: true });
  const note = 'We met at the harbour, when the crane was late. '.repeat(4).trim();
  await thu!.send('friendRequest:create', { userId: ann.id, note });
  await ann.send('friendRequest:create', { userId: grace!.id, note: 'Ahoy' });
  await basil!.send('server:join', { code });
  for (const body of ['One', 'Two'])
    await basil!.send('message:send', { timelineId: office, body });
  await ann.send('block:create', { userId: basil!.id });
  long!.close();
}
