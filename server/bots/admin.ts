/** Bot administration by the operator of this Parley. Each command runs in the name of the bot's owner. */
import type { Account } from '../../shared/accounts.ts';
import { conflict } from '../../shared/failure.ts';
import type { CommandName, Input, Output } from '../../shared/protocol.ts';
import { accountNamed } from '../accounts/accounts.ts';
import { run } from '../command.ts';
import { serverFor } from '../servers/access.ts';
import type { Task, TaskOptions } from '../administration/task.ts';
import type { Caller, Context } from '../caller.ts';
import { listAllBots, revokeToken } from './bots.ts';
import type { OwnedBot } from './store.ts';

export const botTasks = new Map<string, Task>([
  [
    'create',
    {
      usage: 'create NAME --owner USERNAME [--scope SCOPE …] [--server SERVER]',
      words: 1,
      run: create,
    },
  ],
  ['list', { usage: 'list', words: 0, run: list }],
  ['add', { usage: 'add BOT --server SERVER', words: 1, run: add }],
  ['rotate', { usage: 'rotate BOT [--scope SCOPE …]', words: 1, run: rotate }],
  ['revoke', { usage: 'revoke BOT', words: 1, run: revoke }],
  ['delete', { usage: 'delete BOT', words: 1, run: remove }],
]);

async function create(
  context: Context,
  [name = '']: string[],
  { owner, scope, server }: TaskOptions,
) {
  const caller = await callerNamed(context, owner);
  const serverId = server === undefined ? undefined : await serverNamed(caller, server);
  // Checked first. Otherwise the bot would exist, but its token would not be shown.
  if (serverId !== undefined) await serverFor(context.db, caller, serverId, 'manage server');
  const scopes = scope as Input<'bot:create'>['scopes'];
  const { bot, token } = await as(caller, 'bot:create', { name, ...(scopes && { scopes }) });
  if (serverId !== undefined) await as(caller, 'bot:add', { botId: bot.id, serverId });
  return { said: `Created ${bot.name}: ${bot.id}`, token };
}

async function list(context: Context) {
  const all = await listAllBots(context.db);
  const lines = all.map(({ id, name, owner, scopes, tokenAt }) => {
    const rights = scopes.length === 0 ? 'can only read' : `scopes: ${scopes.join(', ')}`;
    return `${id}  ${name}  (owner ${owner}; ${rights}; token from ${tokenAt.slice(0, 10)})`;
  });
  return { said: lines.length === 0 ? 'There are no bots.' : lines.join('\n') };
}

async function add(context: Context, [which = '']: string[], { server = '' }: TaskOptions) {
  const bot = await botNamed(context, which);
  const caller = await callerNamed(context, bot.owner);
  await as(caller, 'bot:add', { botId: bot.id, serverId: await serverNamed(caller, server) });
  return { said: `Added ${bot.name} to ${server}.` };
}

async function rotate(context: Context, [which = '']: string[], { scope }: TaskOptions) {
  const bot = await botNamed(context, which);
  const caller = await callerNamed(context, bot.owner);
  const scopes = scope as Input<'bot:rotate'>['scopes'];
  const { token } = await as(caller, 'bot:rotate', { botId: bot.id, ...(scopes && { scopes }) });
  return { said: `${bot.name} has a new token. The old one has stopped working.`, token };
}

async function revoke(context: Context, [which = '']: string[]) {
  const bot = await botNamed(context, which);
  await revokeToken(await callerNamed(context, bot.owner), bot.id);
  return {
    said: `${bot.name} no longer has a token. Its owner can create one in the settings, or use the rotate command.`,
  };
}

async function remove(context: Context, [which = '']: string[]) {
  const bot = await botNamed(context, which);
  await as(await callerNamed(context, bot.owner), 'bot:delete', { botId: bot.id });
  return { said: `Deleted ${bot.name}. Its messages stay.` };
}

const as = <C extends CommandName>(caller: Caller, name: C, input: Input<C>): Promise<Output<C>> =>
  run(caller, name, input) as Promise<Output<C>>;

async function callerNamed(context: Context, username: string | undefined): Promise<Caller> {
  if (username === undefined) throw conflict('Specify the bot’s owner with --owner USERNAME.');
  const user: Account | undefined = await accountNamed(context.db, username);
  if (user === undefined) throw conflict(`There’s no one called ${username} here.`);
  return { ...context, user, sessionId: '', address: 'admin' };
}

async function botNamed(context: Context, which: string): Promise<OwnedBot> {
  const all = await listAllBots(context.db);
  return only(all, which, 'bot');
}

/** Searches only the servers of the owner. */
async function serverNamed(caller: Caller, which: string): Promise<string> {
  if (which === '') throw conflict('Specify the server with --server SERVER.');
  const { servers } = await as(caller, 'server:list', {});
  return only(servers, which, `server of ${caller.user.username ?? ''}`).id;
}

function only<T extends { id: string; name: string }>(all: T[], which: string, what: string): T {
  const fitting = all.filter(({ id, name }) => id === which || name === which);
  if (fitting.length > 1)
    throw conflict(
      `The name ${which} is ambiguous. Use an ID: ${fitting.map(({ id }) => id).join(', ')}`,
    );
  const [one] = fitting;
  if (one === undefined) throw conflict(`There’s no ${what} called ${which}.`);
  return one;
}
