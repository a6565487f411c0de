import { v7 } from 'uuid';
import type { administrationCommands } from '../../shared/administration.ts';
import type { CommandName, Input } from '../../shared/protocol.ts';
import { administrators, nobody } from './kinds.ts';
import { keeping, type PermissionRow, type PermissionRows } from './row.ts';

/** Rows for an account (a new one for each allowed caller), for a missing one, and for the administrators. */
const toSomebody = <C extends CommandName>(
  what: string,
  input: (whom: { userId: string }) => Input<C>,
  cells = administrators,
): PermissionRow<C>[] =>
  keeping([
    {
      what,
      input: async ({ kind, newcomer, other }) =>
        input({ userId: (kind === 'administrator' ? await newcomer() : other).id }),
      cells,
    },
    {
      what: `${what}, of no account`,
      input: () => input({ userId: v7() }),
      cells: { ...nobody, administrator: 'not_found' },
    },
    {
      what: `${what}, of an administrator`,
      input: ({ colleague }) => input({ userId: colleague.id }),
      cells: nobody,
    },
    {
      what: `${what}, of the owner`,
      input: ({ instanceOwner }) => input({ userId: instanceOwner.id }),
      cells: nobody,
    },
  ]);

export const administrationRows: PermissionRows<keyof typeof administrationCommands> = {
  'instance:get': [{ input: () => ({}), cells: administrators }],
  'instance:update': [
    { input: () => ({ name: 'Garden', registration: 'open' }), cells: administrators },
  ],
  'account:list': [{ input: () => ({ query: 'p' }), cells: administrators }],
  'account:reset': toSomebody('a link', ({ userId }) => ({ userId })),
  'account:signOut': toSomebody('signing out', ({ userId }) => ({ userId })),
  'account:update': [
    ...toSomebody<'account:update'>('suspending', ({ userId }) => ({ userId, suspended: true })),
    ...toSomebody<'account:update'>('restoring', ({ userId }) => ({ userId, suspended: false })),
    // Only the owner appoints administrators: see test/administration/accounts.test.ts.
    ...toSomebody<'account:update'>(
      'appointing',
      ({ userId }) => ({ userId, administrator: true }),
      nobody,
    ),
    ...toSomebody<'account:update'>('dismissing', ({ userId }) => ({
      userId,
      administrator: false,
    })),
  ],
};
