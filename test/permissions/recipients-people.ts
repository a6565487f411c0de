import type { Gathering } from './gathering.ts';
import {
  inGroup,
  inPair,
  inSecret,
  inServer,
  type RecipientCase,
  type RecipientCases,
  type TypeOf,
} from './recipients.ts';
import { asked, finished, say } from './scene.ts';

/** The other sends a message everywhere, then `then` runs. Only people in the place learn that anything was sent. */
const everywhere = (
  then: (gathering: Gathering, messageId: string) => Promise<unknown> = () => Promise.resolve(),
  how = '',
): RecipientCase[] =>
  (
    [
      ['in a channel', 'channelId', inServer],
      ['in a private channel', 'secretId', inSecret],
      ['in a group', 'groupId', inGroup],
      ['in a conversation of two', 'pairId', inPair],
    ] as const
  ).map(([what, where, recipients]) => ({
    what: how + what,
    act: async (gathering) => {
      const timelineId = gathering[where];
      await then(gathering, (await say(gathering.people.other, timelineId)).id);
      return timelineId;
    },
    recipients,
  }));

const toGroup =
  (step: (gathering: Gathering) => Promise<unknown>) => async (gathering: Gathering) => {
    await step(gathering);
    return gathering.groupId;
  };

const ask = async ({ people }: Gathering) =>
  (await asked(people['non-member'], people.other)).requestId;

const answer = (status: 'accepted' | 'declined') => async (gathering: Gathering) => {
  const requestId = await ask(gathering);
  await gathering.people.other.send('friendRequest:update', { requestId, status });
  return requestId;
};

const bothPeople = ['non-member', 'other'] as const;
const theFriends = ['friend', 'other'] as const;

export const peopleRecipients: RecipientCases<
  TypeOf<
    | 'message'
    | 'conversation'
    | 'friendRequest'
    | 'friendship'
    | 'block'
    | 'notificationSetting'
    | 'sidebarList'
  >
> = {
  'message:created': [
    ...everywhere(),
    {
      what: 'with a file, in a private channel',
      act: async ({ people: { other }, secretId: timelineId }) => {
        const file = await finished(other, { timelineId });
        await other.send('message:send', { timelineId, files: [file] });
        return file.id;
      },
      recipients: inSecret,
    },
  ],
  'message:updated': [
    ...everywhere(({ people }, messageId) =>
      people.other.send('message:edit', { messageId, body: 'New' }),
    ),
    ...everywhere(
      ({ people }, messageId) =>
        people.other.send('message:react', { messageId, emoji: '👍', on: true }),
      'by a reaction ',
    ),
    {
      what: 'by being pinned in a channel',
      act: async ({ people, channelId }) => {
        const { id: messageId } = await say(people.other, channelId);
        await people.moderator.send('message:pin', { messageId, on: true });
        return messageId;
      },
      recipients: inServer,
    },
    {
      what: 'by being pinned in a conversation of two',
      act: async ({ people, pairId }) => {
        const { id: messageId } = await say(people.other, pairId);
        await people.other.send('message:pin', { messageId, on: true });
        return messageId;
      },
      recipients: inPair,
    },
  ],
  'message:deleted': everywhere(({ people }, messageId) =>
    people.other.send('message:delete', { messageId }),
  ),
  'conversation:created': [
    {
      what: 'by its being started',
      act: async ({ people }) => {
        const userIds = [people.other.id, people.member.id];
        const made = await people['founder of a group'].send('conversation:create', { userIds });
        return made.conversation.id;
      },
      recipients: ['founder of a group', 'other', 'member'],
    },
    {
      what: 'by being added',
      act: toGroup(({ people, groupId }) =>
        people.participant.send('conversation:update', {
          ...{ conversationId: groupId, addUserIds: [people['non-member'].id] },
        }),
      ),
      recipients: ['non-member'],
      also: inGroup,
      ends: 'everything',
    },
  ],
  'conversation:updated': [
    {
      act: toGroup(({ people, groupId }) =>
        people.participant.send('conversation:update', { conversationId: groupId, name: 'Us' }),
      ),
      recipients: inGroup,
    },
  ],
  'conversation:left': [
    {
      act: toGroup(({ people, groupId }) =>
        people.participant.send('conversation:delete', { conversationId: groupId }),
      ),
      recipients: ['participant'],
      also: inGroup,
      ends: 'everything',
    },
  ],
  'conversation:removed': [
    {
      act: toGroup(({ people, groupId }) =>
        people['founder of a group'].send('conversation:update', {
          ...{ conversationId: groupId, removeUserIds: [people.participant.id] },
        }),
      ),
      recipients: ['participant'],
      also: inGroup,
      ends: 'everything',
    },
  ],
  'friendRequest:created': [{ act: ask, recipients: bothPeople, ends: 'everything' }],
  'friendRequest:updated': [
    {
      act: async (gathering) => {
        const requestId = await ask(gathering);
        const note = { requestId, note: 'Please' };
        await gathering.people['non-member'].send('friendRequest:update', note);
        return requestId;
      },
      recipients: bothPeople,
      ends: 'everything',
    },
  ],
  'friendRequest:deleted': [
    { what: 'accepted', act: answer('accepted'), recipients: bothPeople, ends: 'everything' },
    {
      what: 'declined',
      act: answer('declined'),
      recipients: ['other'],
      also: ['non-member'],
      ends: 'everything',
    },
    {
      what: 'taken back',
      act: async (gathering) => {
        const requestId = await ask(gathering);
        await gathering.people['non-member'].send('friendRequest:delete', { requestId });
        return requestId;
      },
      recipients: bothPeople,
    },
    {
      what: 'by a block',
      act: async (gathering) => {
        const requestId = await ask(gathering);
        const userId = gathering.people['non-member'].id;
        await gathering.people.other.send('block:create', { userId });
        return requestId;
      },
      recipients: bothPeople,
      ends: 'everything',
    },
  ],
  'friendship:created': [{ act: answer('accepted'), recipients: bothPeople, ends: 'everything' }],
  'friendship:updated': [
    {
      act: async ({ people, friendshipId }) => {
        await people.friend.send('friendship:update', { friendshipId, nickname: 'Nick' });
        return friendshipId;
      },
      recipients: ['friend'],
    },
  ],
  'friendship:deleted': [
    {
      what: 'ended',
      act: async ({ people, friendshipId }) => {
        await people.friend.send('friendship:delete', { friendshipId });
        return friendshipId;
      },
      recipients: theFriends,
      ends: 'everything',
    },
    {
      what: 'by a block',
      act: async ({ people, friendshipId }) => {
        await people.other.send('block:create', { userId: people.friend.id });
        return friendshipId;
      },
      recipients: theFriends,
      ends: 'everything',
    },
  ],
  // The blocked person is not notified, and receives nothing that names the blocker.
  'block:created': [
    {
      act: async ({ people }) => {
        await people['non-member'].send('block:create', { userId: people.other.id });
        return people['non-member'].id;
      },
      recipients: ['non-member'],
      ends: 'everything',
    },
  ],
  'block:deleted': [
    {
      act: async ({ people }) => {
        await people['non-member'].send('block:create', { userId: people.other.id });
        await people['non-member'].send('block:delete', { userId: people.other.id });
        return people['non-member'].id;
      },
      recipients: ['non-member'],
    },
  ],
  // Other people in the place must not learn of a person's settings.
  'notificationSetting:updated': [
    {
      what: 'of a server',
      act: async ({ people, server }) => {
        await people.member.send('notification:set', { targetId: server.id, level: 'nothing' });
        return server.id;
      },
      recipients: ['member'],
    },
    {
      what: 'of a conversation of two',
      act: async ({ people, pairId }) => {
        await people.participant.send('notification:set', { targetId: pairId, muted: {} });
        return pairId;
      },
      recipients: ['participant'],
    },
  ],
  'notificationSetting:deleted': [
    {
      act: async ({ people, server }) => {
        const targetId = server.id;
        await people.member.send('notification:set', { targetId, level: 'nothing' });
        await people.member.send('notification:set', { targetId, level: null });
        return targetId;
      },
      recipients: ['member'],
    },
  ],
  // Other people in the place must not learn how a person orders it.
  'sidebarList:updated': [
    {
      act: async ({ people, channelId }) => {
        await people.member.send('sidebar:place', { list: 'favourites', targetId: channelId });
        return channelId;
      },
      recipients: ['member'],
    },
  ],
};
