import type { Gathering } from './gathering.ts';
import { inServer, type RecipientCases, type TypeOf } from './recipients.ts';

/** Reports a message of the other, and returns its id. */
async function report({ people, channelId }: Gathering): Promise<string> {
  const said = { timelineId: channelId, body: 'Buy now' };
  const { message } = await people.other.send('message:send', said);
  await people.member.send('report:create', { messageId: message.id, kind: 'spam' });
  return message.id;
}

/** Someone who is not a member asks to join. Returns their id. */
async function ask({ people, server, code }: Gathering): Promise<string> {
  const asker = people['non-member'];
  const serverId = server.id;
  await people.owner.send('server:update', { serverId, approval: true });
  await asker.send('joinRequest:create', { code });
  await people.owner.send('server:update', { serverId, approval: false });
  return asker.id;
}

const answerers = ['owner', 'moderator', 'member with a role'] as const;

export const taskRecipients: RecipientCases<TypeOf<'taskCount'>> = {
  // The message itself is sent to everyone.
  'taskCount:updated': [
    { what: 'by a report', act: report, recipients: answerers, also: inServer },
    { what: 'by a request to join', act: ask, recipients: answerers },
  ],
  'taskCount:deleted': [
    {
      what: 'when all are closed',
      act: async (gathering) => {
        const { people, server } = gathering;
        const messageIds = [await report(gathering)];
        const userIds = [people['non-member'].id];
        await people.owner.send('joinRequest:decline', { serverId: server.id, userIds });
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
      what: 'when the only request is cancelled',
      async act(gathering) {
        const { people, server } = gathering;
        const asker = await ask(gathering);
        await people['non-member'].send('joinRequest:cancel', { serverId: server.id });
        return asker;
      },
      recipients: answerers,
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
