import { administerAccount } from '../../server/administration/administration.ts';
import { sweepFiles } from '../../server/files/sweep.ts';
import type { Output } from '../../shared/protocol.ts';
import type { TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';
import type { Recorder } from './recorder.ts';
import { setStage, type WireStage } from './stage.ts';
import { walkAsBot, type WalkPlace } from './walk.ts';

/** A server with more members than this is large in the story. */
export const largeServer = '4';

export async function playStory(app: TestApp, recorder: Recorder): Promise<void> {
  const stage = setStage(app, recorder);
  const ann = await stage.registers('Ann');
  const place = await walkAsBot(stage, ann);
  const ben = await stage.registers('Ben');
  const cleo = await stage.registers('Cleo');
  await peopleJoin(stage, place, ann, ben, cleo);
  await theyTalk(stage, place, ann, ben, cleo);
  await itGetsChannels(stage, place, ann, ben);
  await someGo(stage, place, ann, ben, cleo);
  await friendsAreMade(stage, ann, ben, cleo);
  await theyWriteToEachOther(stage, ann, ben, cleo);
  await theyFallOut(stage, ann, ben, cleo);
  await oneGrowsLarge(stage, ann, [ben, cleo]);
  await annHelpsCleo(stage, ann, cleo);
  await annTidiesUp(stage, ann);
}

async function peopleJoin(
  stage: WireStage,
  { serverId }: WalkPlace,
  ann: Person,
  ben: Person,
  cleo: Person,
) {
  const { does, recorder } = stage;
  const { invite } = await does(ann, 'invite:create', { serverId, maxUses: 10 });
  const { code } = invite;
  await does(ben, 'invite:get', { code });
  await does(ben, 'server:join', { code });
  await does(ann, 'server:update', { serverId, approval: true });
  await does(cleo, 'joinRequest:create', { code });
  await does(cleo, 'joinRequest:mine', {});
  await does(ann, 'joinRequest:list', { serverId });
  await does(ann, 'joinRequest:decline', { serverId, userIds: [cleo.id] });
  await does(cleo, 'joinRequest:create', { code });
  await does(cleo, 'joinRequest:cancel', { serverId });
  await does(cleo, 'joinRequest:create', { code });
  await does(ann, 'joinRequest:accept', { serverId, userId: cleo.id });
  await does(ann, 'server:update', { serverId, approval: false });
  await does(ann, 'invite:list', { serverId });
  await does(ann, 'invite:pause', { serverId, seconds: 3_600 });
  await does(ann, 'invite:pause', { serverId, seconds: 0 });
  await does(ann, 'invite:delete', { code });
  await does(ben, 'server:list', {});
  await does(ben, 'server:open', { serverId });
  await does(ben, 'member:list', { serverId, query: 'an' });
  await does(ann, 'member:update', { serverId, userId: ben.id, nickname: 'Benjamin' });
  await does(ann, 'member:timeOut', { serverId, userId: ben.id, seconds: 600, reason: 'Shouting' });
  await does(ann, 'member:timeOut', { serverId, userId: ben.id, seconds: 0 });
  await does(ann, 'server:update', { serverId, name: 'The Garden' });
  await recorder.shows('Ben', 'people', () => does(ann, 'user:update', { displayName: 'Anna' }));
  await does(ann, 'user:update', { statusText: { emoji: '🌱', text: 'In the garden' } });
  await does(ann, 'user:update', { statusText: null });
  await does(ben, 'presence:set', { status: 'dnd' });
  await does(ben, 'presence:update', { active: true });
  await does(ben, 'user:search', { query: 'cle' });
  await does(ben, 'member:search', { query: 'cle' });
  await does(ben, 'channel:search', { query: 'gen' });
}

async function theyTalk(
  stage: WireStage,
  { serverId, channelId }: WalkPlace,
  ann: Person,
  ben: Person,
  cleo: Person,
) {
  const { does, recorder, signsIn } = stage;
  const timelineId = channelId;
  const { message } = await recorder.shows('Ben', 'activity', () =>
    does(ann, 'message:send', { timelineId, body: 'Tea at *four*, evryone?' }),
  );
  const { id: messageId } = message;
  await does(ben, 'channel:join', { channelId });
  await recorder.shows('Ben', 'typing', () => does(ann, 'typing:set', { timelineId }));
  await does(ann, 'message:edit', { messageId, body: 'Tea at *four*, everyone?' });
  await does(ben, 'message:react', { messageId, emoji: '🫖', on: true });
  await does(ann, 'reaction:list', { messageId, emoji: '🫖' });
  await does(ben, 'reaction:mine', { timelineId, messageIds: [messageId] });
  await does(ben, 'message:send', { timelineId, body: 'Coming!', replyTo: messageId });
  await does(ann, 'message:pin', { messageId, on: true });
  await does(ben, 'pin:list', { timelineId });
  await does(ann, 'preview:remove', { messageId, link: 'https://example.org/tea' });
  await does(ben, 'message:list', { timelineId, limit: 2 });
  await does(ben, 'message:search', { query: 'TEA from:anna', timelineId });
  const begun = { timelineId, name: 'shopping list.txt', size: 14 };
  const { fileId } = await does(ben, 'file:begin', begun);
  await does(ben, 'file:chunk', { fileId, offset: 0, bytes: Buffer.from('Tea, and cake.') });
  await does(ben, 'file:finish', { fileId });
  await does(ben, 'message:send', { timelineId, files: [{ id: fileId }] });
  const unwanted = await does(ben, 'file:begin', begun);
  await does(ben, 'file:delete', { fileId: unwanted.fileId });
  await does(ben, 'file:allowance', {});
  const oops = await does(ben, 'message:send', { timelineId, body: 'Wrong channel, sorry.' });
  await does(ben, 'message:delete', { messageId: oops.message.id });
  const advert = await does(ben, 'message:send', { timelineId, body: 'Cheap watches!' });
  const reported = { messageId: advert.message.id, kind: 'spam', note: 'Twice today' } as const;
  await does(cleo, 'report:create', reported);
  await does(ann, 'report:list', { serverId });
  await does(ann, 'message:delete', { messageId: advert.message.id });
  await does(ann, 'wordFilter:set', { serverId, words: ['cheap watch*'] });
  await does(ann, 'wordFilter:get', { serverId });
  const messageIds = [advert.message.id];
  await does(ann, 'report:close', { serverId, messageIds, outcome: 'handled' });
  await does(ben, 'channel:leave', { channelId });

  await signsIn('Ben');
  await recorder.shows('Ben, elsewhere', 'read', () =>
    does(ben, 'read:update', { timelineId, position: oops.message.position }),
  );
  await does(ben, 'read:mark', { timelineId, position: oops.message.position });
  await recorder.shows('Ben, elsewhere', 'seenAs', () =>
    does(ben, 'presence:set', { status: 'online' }),
  );
  await does(ben, 'notification:set', { targetId: timelineId, level: 'nothing' });
  await does(ben, 'notification:set', { targetId: timelineId, level: null });
  await does(ben, 'sidebar:place', { list: 'favourites', targetId: timelineId });
  await does(ben, 'sidebar:remove', { list: 'favourites', targetId: timelineId });
  await does(ben, 'push:key', {});
  await does(ben, 'push:subscribe', {
    endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/ben-at-his-desk',
    p256dh:
      'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs',
    auth: 'SFhlYXJ0IG9mIHRoZSBwdQ',
    hidesText: true,
  });
  await does(ben, 'push:list', {});
  await does(ben, 'push:unsubscribe', {});
  await does(ben, 'localTime:set', { timeZone: 'Asia/Kolkata' });
  await does(ann, 'localTime:get', { userId: ben.id });
  const { sessions } = await does(ben, 'session:list', {});
  const other = sessions.find(({ current }) => !current);
  await does(ben, 'session:revoke', { sessionId: other?.id ?? '' });
  await does(ben, 'user:changePassword', {
    current: 'four words are enough',
    next: 'five words are even better',
  });
}

async function itGetsChannels(
  { does }: WireStage,
  { serverId }: WalkPlace,
  ann: Person,
  ben: Person,
) {
  const { category } = await does(ann, 'category:create', { serverId, name: 'Beds' });
  const { id: categoryId } = category;
  await does(ann, 'category:update', { categoryId, name: 'Flower beds' });
  await does(ben, 'category:list', { serverId });
  const topic = 'What to sow, and when';
  const made = await does(ann, 'channel:create', { serverId, name: 'seeds', topic, categoryId });
  const { id: channelId } = made.channel;
  await does(ann, 'channel:update', { channelId, name: 'seeds-and-bulbs' });
  await does(ann, 'channel:update', { channelId, private: true, userIds: [ben.id] });
  await does(ann, 'channel:update', { channelId, topic: 'A surprise for Cleo' });
  await does(ann, 'channel:removeMember', { channelId, userId: ben.id });
  await does(ann, 'channel:addMember', { channelId, userId: ben.id });
  await does(ben, 'channel:removeMember', { channelId, userId: ben.id });
  await does(ann, 'channel:update', { channelId, private: false });
  await does(ann, 'channel:update', { channelId, private: true });
  await does(ann, 'channel:delete', { channelId });
  const other = await does(ann, 'channel:create', { serverId, name: 'weeds' });
  await does(ann, 'channel:delete', { channelId: other.channel.id });
  await does(ann, 'category:delete', { categoryId });
  const bytes = await picture().png().toBuffer();
  const begun = { purpose: 'emoji', name: 'tulip.png', size: bytes.length } as const;
  const { fileId } = await does(ann, 'file:begin', begun);
  await does(ann, 'file:chunk', { fileId, offset: 0, bytes });
  await does(ann, 'file:finish', { fileId });
  await does(ann, 'emoji:create', { serverId, name: 'tulip', fileId });
  await does(ann, 'emoji:delete', { serverId, emojiId: fileId });
  const look = { color: 'green', mark: '🌱' } as const;
  const gardener = { serverId, name: 'Gardener', ...look, permissions: ['pin messages' as const] };
  const { role } = await does(ann, 'role:create', gardener);
  const roleId = role.id;
  await does(ann, 'role:give', { serverId, userId: ben.id, roleId });
  await does(ann, 'role:update', { serverId, roleId, name: 'Head gardener' });
  await does(ann, 'role:take', { serverId, userId: ben.id, roleId });
  await does(ann, 'role:delete', { serverId, roleId });
}

async function someGo(stage: WireStage, place: WalkPlace, ann: Person, ben: Person, cleo: Person) {
  const { does, recorder } = stage;
  const { serverId, channelId } = place;
  const { invite } = await does(ann, 'invite:create', { serverId });
  const { code } = invite;
  await does(cleo, 'channel:join', { channelId });
  await recorder.shows('Cleo', 'head', () =>
    does(ann, 'member:remove', { serverId, userId: cleo.id }),
  );
  await does(cleo, 'server:join', { code });
  const terms = { reason: 'Advertising', seconds: 604_800 };
  await does(ann, 'member:newcomers', { serverId, seconds: 3_600 });
  await does(ann, 'ban:create', { serverId, userId: cleo.id, ...terms });
  await does(ann, 'ban:list', { serverId });
  await does(ann, 'audit:list', { serverId, limit: 2 });
  await does(ann, 'ban:delete', { serverId, userId: cleo.id });
  await does(cleo, 'server:join', { code });
  await does(ann, 'ban:createMany', { serverId, userIds: [cleo.id] });
  await does(ben, 'server:leave', { serverId });
  await does(ben, 'server:join', { code });
  await does(ann, 'server:transfer', { serverId, userId: ben.id });
  await does(ben, 'server:declineTransfer', { serverId });
  await does(ann, 'server:transfer', { serverId, userId: ben.id });
  await does(ben, 'server:acceptTransfer', { serverId });
  await does(ben, 'server:delete', { serverId });
}

async function friendsAreMade({ does }: WireStage, ann: Person, ben: Person, cleo: Person) {
  const note = 'We met in the garden.';
  const asked = await does(ann, 'friendRequest:create', { username: 'ben', note });
  await does(ben, 'friendRequest:list', {});
  const { id: requestId } = requestIn(asked);
  await does(ben, 'friendRequest:update', { requestId, status: 'accepted' });
  const again = requestIn(await does(ann, 'friendRequest:create', { userId: cleo.id }));
  await does(ann, 'friendRequest:update', { requestId: again.id, note });
  await does(cleo, 'friendship:create', { userId: ann.id });
  const regretted = requestIn(await does(ben, 'friendRequest:create', { userId: cleo.id }));
  await does(ben, 'friendRequest:delete', { requestId: regretted.id });
  await does(ann, 'friendship:list', {});
  const change = { friendshipId: requestId, nickname: 'Benny', favourite: true };
  await does(ann, 'friendship:update', change);
}

function requestIn(asked: Output<'friendRequest:create'>) {
  if ('friendship' in asked) throw new Error('they were friends at once');
  return asked.friendRequest;
}

async function theyWriteToEachOther({ does }: WireStage, ann: Person, ben: Person, cleo: Person) {
  const userIds = [ben.id, cleo.id];
  const { conversation } = await does(ann, 'conversation:create', { userIds });
  const { id: conversationId } = conversation;
  await does(ann, 'conversation:update', { conversationId, name: 'A picnic' });
  await does(ben, 'conversation:open', { conversationId });
  await does(cleo, 'conversation:accept', { conversationId });
  await does(ben, 'conversation:list', {});
  await does(ben, 'conversation:close', { conversationId });
  await does(ann, 'conversation:update', { conversationId, removeUserIds: [cleo.id] });
  await does(ben, 'conversation:delete', { conversationId });
}

async function theyFallOut({ does }: WireStage, ann: Person, ben: Person, cleo: Person) {
  const { friendships } = await does(ann, 'friendship:list', {});
  const friend = friendships.find(({ userId }) => userId === ben.id);
  await does(ann, 'friendship:delete', { friendshipId: friend?.id ?? '' });
  await does(cleo, 'block:create', { userId: ann.id });
  await does(cleo, 'block:list', {});
  await does(cleo, 'block:delete', { userId: ann.id });
}

async function oneGrowsLarge({ does, registers }: WireStage, ann: Person, friends: Person[]) {
  const { server } = await does(ann, 'server:create', { name: 'The whole village' });
  const { id: serverId } = server;
  const { invite } = await does(ann, 'invite:create', { serverId });
  const villagers = [await registers('Dora'), await registers('Emil')];
  for (const person of [...friends, ...villagers])
    await does(person, 'server:join', { code: invite.code });
  await does(ann, 'server:open', { serverId });
  const userId = friends[0]?.id ?? '';
  await does(ann, 'member:update', { serverId, userId, role: 'moderator' });
  await does(ann, 'member:update', { serverId, userId, role: 'member' });
}

async function annHelpsCleo({ app, does }: WireStage, ann: Person, { id: userId }: Person) {
  await administerAccount({ ...app, address: '' }, { userId: ann.id, administrator: true });
  // Deleted files count until the sweep.
  await sweepFiles(app);
  await does(ann, 'file:usage', {});
  await does(ann, 'instance:get', {});
  await does(ann, 'instance:update', { name: 'Garden club', serverCreation: 'administrators' });
  await does(ann, 'account:list', { query: 'cleo' });
  await does(ann, 'account:reset', { userId });
  await does(ann, 'account:signOut', { userId });
  await does(ann, 'account:update', { userId, suspended: true });
}

async function annTidiesUp({ does }: WireStage, ann: Person) {
  const { bots } = await does(ann, 'bot:list', {});
  const botId = bots[0]?.id ?? '';
  await does(ann, 'bot:update', { botId, name: 'Echo, retired' });
  await does(ann, 'bot:delete', { botId });
  await does(ann, 'session:logout', {});
}
