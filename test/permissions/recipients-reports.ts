import type { Gathering } from './gathering.ts';
import { inServer, type RecipientCases, type TypeOf } from './recipients.ts';

/** Reports a message of the other, and returns its id. */
async function report({ people, channelId }: Gathering): Promise<string> {
  const said = { timelineId: channelId, body: 'Buy now' };
  const { message } = await people.other.send('message:send', said);
  await people.member.send('report:create', { messageId: message.id, kind: 'spam' });
  return message.id;
}

const answerers = ['owner', 'moderator', 'member with a role'] as const;

export const reportRecipients: RecipientCases<TypeOf<'reportCount'>> = {
  // The message itself is sent to everyone.
  'reportCount:updated': [{ act: report, recipients: answerers, also: inServer }],
  'reportCount:deleted': [
    {
      what: 'when all are closed',
      act: async (gathering) => {
        const { people, server } = gathering;
        const messageIds = [await report(gathering)];
        const which = { serverId: server.id, closed: false };
        const { reports } = await people.owner.send('report:list', which);
        await people.owner.send('report:close', {
          ...{ serverId: server.id, outcome: 'handled' },
          messageIds: [...messageIds, ...reports.map(({ messageId }) => messageId)],
        });
        return messageIds[0]!;
      },
      recipients: answerers,
      also: inServer,
    },
    {
      what: 'when the role ends',
      act: async (gathering) => {
        const { people, server } = gathering;
        await report(gathering);
        await people.owner.send('member:update', {
          ...{ serverId: server.id, userId: people.moderator.id, role: 'member' },
        });
        return server.id;
      },
      recipients: ['moderator'],
      also: inServer,
      ends: 'server',
    },
  ],
};
