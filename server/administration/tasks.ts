/** The administrators' settings as command line tasks, for when nobody can sign in. */
import type { ManagedAccount } from '../../shared/administration.ts';
import { ChatError } from '../../shared/failure.ts';
import { accountNamed } from '../accounts/accounts.ts';
import type { Context } from '../caller.ts';
import type { Task, TaskReport } from './task.ts';
import type { Actor } from './access.ts';
import { listAccounts, resetAccount, signOutAccount, administerAccount } from './administration.ts';

type Change = Parameters<typeof administerAccount>[1];

export const personTasks = new Map<string, Task>([
  ['find', { usage: 'find TEXT', words: 1, run: find }],
  ['reset', { usage: 'reset USERNAME', words: 1, run: reset }],
  ['sign-out', { usage: 'sign-out USERNAME', words: 1, run: signOut }],
  ['suspend', changing('suspend', { suspended: true }, 'is suspended')],
  ['restore', changing('restore', { suspended: false }, 'isn’t suspended')],
  ['promote', changing('promote', { administrator: true }, 'is an administrator')],
  ['demote', changing('demote', { administrator: false }, 'isn’t an administrator')],
]);

const maxListed = 100;

async function find(context: Context, [query = '']: string[]): Promise<TaskReport> {
  const { accounts, more } = await listAccounts(actorOn(context), { query, limit: maxListed });
  const lines = accounts.map(({ username, name, administers, suspended }) =>
    [username ?? 'guest', name, administers, suspended ? 'suspended' : undefined]
      .filter(Boolean)
      .join('  '),
  );
  if (more.after) lines.push(`There are more than ${maxListed}. Enter more of the name.`);
  const facts = { accounts, more: more.after };
  return { said: lines.join('\n') || `No one found for “${query}”.`, facts };
}

async function reset(context: Context, [username = '']: string[]): Promise<TaskReport> {
  const userId = await idOf(context, username);
  const { secret, expiresAt } = await resetAccount(actorOn(context), { userId });
  return {
    said: `A link to set a new password for ${username}. It works once, until ${expiresAt}:`,
    link: { path: `/reset#${secret}`, expiresAt },
    facts: { userId },
  };
}

async function signOut(context: Context, [username = '']: string[]): Promise<TaskReport> {
  const userId = await idOf(context, username);
  await signOutAccount(actorOn(context), { userId });
  return { said: `${username} has been signed out everywhere.`, facts: { userId } };
}

function changing(verb: string, change: Omit<Change, 'userId'>, became: string): Task {
  return {
    usage: `${verb} USERNAME`,
    words: 1,
    async run(context, [username = '']) {
      const userId = await idOf(context, username);
      const account = await administerAccount(actorOn(context), { userId, ...change });
      return { said: `${username} ${became}${butOwner(account, change)}.`, facts: { account } };
    },
  };
}

/** The owner cannot be demoted, and needs no promotion. */
const butOwner = ({ administers }: ManagedAccount, { administrator }: Omit<Change, 'userId'>) =>
  administrator !== undefined && administers === 'owner' ? ': they own this Parley' : '';

const actorOn = (context: Context): Actor => ({ ...context, address: 'admin' });

/** @throws ChatError not_found */
async function idOf(context: Context, username: string): Promise<string> {
  const user = await accountNamed(context.db, username);
  if (user === undefined)
    throw new ChatError('not_found', `There’s no one called ${username} here.`);
  return user.id;
}
