import type { accountCommands } from '../../shared/accounts.ts';
import type { botCommands } from '../../shared/bots.ts';
import type { presenceCommands } from '../../shared/presence.ts';
import type { localTimeCommands } from '../../shared/local-time.ts';
import type { CommandName, Input } from '../../shared/protocol.ts';
import type { pushCommands } from '../../shared/push.ts';
import type { syncCommands } from '../../shared/sync.ts';
import type { Person } from '../support/person.ts';
import { newDevice } from '../support/push-device.ts';
import { everyone, noOne, ownerOnly, registered } from './kinds.ts';
import { keeping, type PermissionRow, type PermissionRows } from './row.ts';
import { pictureOf } from './scene.ts';

async function sessionOf(person: Person): Promise<{ sessionId: string }> {
  const { sessions } = await person.send('session:list', {});
  return { sessionId: sessions.find(({ current }) => current)?.id ?? '' };
}

async function botOf(person: Person): Promise<string> {
  const [known] = (await person.send('bot:list', {})).bots;
  return (known ?? (await person.send('bot:create', { name: 'Echo' })).bot).id;
}

/** Rows for an own bot, and for another’s, which counts as missing. A guest has none. */
const anotherBot = <C extends CommandName>(
  input: (bot: { botId: string }) => Input<C>,
): PermissionRow<C>[] => [
  {
    what: 'one’s own',
    input: async ({ kind, caller, other }) =>
      input({ botId: await botOf(kind === 'guest' ? other : caller) }),
    cells: { ...everyone, guest: 'not_found' },
  },
  {
    what: 'another’s',
    input: async ({ other }) => input({ botId: await botOf(other) }),
    cells: noOne,
  },
];

export const accountRows: PermissionRows<
  keyof (typeof accountCommands &
    typeof botCommands &
    typeof presenceCommands &
    typeof localTimeCommands &
    typeof pushCommands &
    typeof syncCommands)
> = {
  'session:logout': [{ input: () => ({}), cells: everyone }],
  'session:list': [{ input: () => ({}), cells: everyone }],
  'session:revoke': [
    { what: 'one’s own', input: ({ caller }) => sessionOf(caller), cells: everyone },
    { what: 'another’s', input: ({ other }) => sessionOf(other), cells: noOne },
  ],
  'push:key': [{ input: () => ({}), cells: everyone }],
  'push:subscribe': [{ input: () => ({ ...newDevice(), hidesText: false }), cells: everyone }],
  'push:unsubscribe': [
    { what: 'one’s own', input: () => ({}), cells: everyone },
    {
      what: 'another’s',
      input: async ({ other }) => {
        await other.send('push:subscribe', { ...newDevice(), hidesText: false });
        return sessionOf(other);
      },
      cells: noOne,
    },
  ],
  'push:list': [{ input: () => ({}), cells: everyone }],
  'user:search': keeping([{ input: () => ({ query: 'Ann' }), cells: registered }]),
  'user:update': keeping([
    { what: 'the name', input: () => ({ displayName: 'Another' }), cells: everyone },
    { what: 'the status text', input: () => ({ statusText: { text: 'Out' } }), cells: everyone },
    { what: 'to no picture', input: () => ({ avatar: null }), cells: everyone },
    {
      what: 'to a picture of another',
      input: async ({ other }) => ({ avatar: await pictureOf(other, 'avatar') }),
      cells: { ...noOne, guest: 'forbidden' },
    },
  ]),
  'user:changePassword': [
    {
      input: ({ caller }) => ({
        current: `the password of ${caller.user.username}`,
        next: 'another long password',
      }),
      cells: { ...everyone, guest: 'conflict' },
    },
  ],
  'bot:create': keeping([{ input: () => ({ name: 'Echo' }), cells: registered }]),
  'bot:list': [{ input: () => ({}), cells: everyone }],
  'bot:update': keeping(anotherBot(({ botId }) => ({ botId, name: 'Mine now' }))),
  'bot:rotate': keeping(anotherBot(({ botId }) => ({ botId }))),
  'bot:delete': anotherBot(({ botId }) => ({ botId })),
  'bot:add': [
    {
      inPlace: async ({ server }, { other }) => ({
        serverId: server.id,
        botId: await botOf(other),
      }),
      cells: ownerOnly,
    },
  ],
  'presence:set': keeping([{ input: () => ({ status: 'dnd' }), cells: everyone }]),
  'localTime:set': keeping([{ input: () => ({ timeZone: 'Europe/Oslo' }), cells: everyone }]),
  // A hidden local time is answered as unset: test/people/local-time.test.ts.
  'localTime:get': keeping([{ input: ({ other }) => ({ userId: other.id }), cells: everyone }]),
  'presence:update': keeping([{ input: () => ({ active: false }), cells: everyone }]),
  // Inaccessible rooms are answered as gone, one by one: test/connection/sync.test.ts.
  sync: [{ input: ({ caller }) => ({ epoch: caller.ready.epoch, rooms: {} }), cells: everyone }],
};
