import type { CommandName, Input } from '../../shared/protocol.ts';
import type { Gathering, ListenerKind } from './gathering.ts';
import { inServer, type RecipientCase, type RecipientCases, type TypeOf } from './recipients.ts';

async function offer({ people, server }: Gathering): Promise<string> {
  const { id: serverId } = server;
  await people.owner.send('server:transfer', { serverId, userId: people.member.id });
  return serverId;
}

const bothPeople = ['owner', 'member'] as const satisfies ListenerKind[];

/** Offers the server, then runs a command as `who`. */
const after = <C extends CommandName>(
  who: 'moderator' | (typeof bothPeople)[number],
  command: C,
  input: (serverId: string, gathering: Gathering) => Input<C>,
  more: Pick<RecipientCase, 'what' | 'also' | 'ends'> = {},
): RecipientCase => ({
  what: command,
  act: async (gathering) => {
    const serverId = await offer(gathering);
    await gathering.people[who].send(command, input(serverId, gathering));
    return serverId;
  },
  recipients: bothPeople,
  ...more,
});

const which = (serverId: string) => ({ serverId });
const toMember = (serverId: string, { people }: Gathering) => ({
  serverId,
  userId: people.member.id,
});
/** Everyone in the server also receives the change of the member. */
const ends = { also: inServer, ends: 'server' } as const;

export const transferRecipients: RecipientCases<TypeOf<'transfer'>> = {
  'transfer:created': [{ act: offer, recipients: bothPeople, ends: 'server' }],
  'transfer:deleted': [
    after('member', 'server:declineTransfer', which),
    after('owner', 'server:declineTransfer', which, { what: 'withdrawn' }),
    after('member', 'server:acceptTransfer', which, ends),
    after('member', 'server:leave', which, ends),
    after('moderator', 'member:remove', toMember, ends),
    after('moderator', 'ban:create', toMember, ends),
    after('owner', 'server:delete', which, ends),
    after('member', 'block:create', (_, { people }) => ({ userId: people.owner.id }), {
      ends: 'everything',
    }),
  ],
};
