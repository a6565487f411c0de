/** `npm run admin -- restored`, for an administrator who has restored a backup. */
import { randomBytes } from 'node:crypto';
import { query, transaction, type Db } from '../database/database.ts';
import type { Context } from '../caller.ts';
import { countSessions, endAllSessions, type Holder } from '../accounts/accounts.ts';
import type { Task, TaskOptions } from './task.ts';

export const restoredTask: Task = {
  usage: 'restored [--end-sessions] [--end-tokens]',
  words: 0,
  run: restored,
};

/**
 * Gives the database a new identity, so that running nodes close all connections and clients drop their copy of the
 * former content. Ended sessions need no revocation, because a reconnecting client is looked up in the database.
 */
async function restored({ db }: Context, _: string[], options: TaskOptions) {
  const { 'end-sessions': endSessions = false, 'end-tokens': endTokens = false } = options;
  const said = await transaction(db, async (db) => {
    const lines = [
      ...intro(await lastMessage(db)),
      await describeOrEnd(db, 'person', endSessions),
      await describeOrEnd(db, 'bot', endTokens),
      ...others,
    ];
    await query(db, `update settings set value = $1 where key = 'life'`, [
      randomBytes(16).toString('hex'),
    ]);
    return lines.join('\n');
  });
  return { said };
}

async function lastMessage(db: Db): Promise<string | undefined> {
  // Reads the last message of each timeline by an index, however many messages there are.
  const [last] = await query<{ at: Date | null }>(
    db,
    `select max(created_at) as at from rooms
     join messages on timeline_id = rooms.id and position = last_position`,
  );
  return last?.at?.toISOString().slice(0, 16).replace('T', ' ');
}

const intro = (last: string | undefined) => [
  'The database has a new identity. Within seconds, running nodes will close all connections, and everyone will',
  'load everything again.',
  '',
  'Apart from that, everything is as it was when the backup was made' +
    (last === undefined ? ':' : ` (its last message is from ${last} UTC):`),
];

async function describeOrEnd(db: Db, holder: Holder, end: boolean): Promise<string> {
  const { what, ended, left } = texts[holder];
  return end
    ? `- ${what(await endAllSessions(db, holder))} ended. ${ended}`
    : `- ${what(await countSessions(db, holder))} valid, including those ended since. ${left}`;
}

const counted = (count: number, one: string) =>
  count === 1 ? `1 ${one} is` : `${count} ${one}s are`;

const texts = {
  person: {
    what: (count: number) => counted(count, 'session'),
    ended:
      'Everyone has to sign in again. Guests can’t, because they can sign in only with their session.',
    left: 'If one was stolen, anyone who has it can use it again: --end-sessions ends them all.',
  },
  bot: {
    what: (count: number) => counted(count, 'bot token'),
    ended: 'Bots will need new ones: npm run admin -- bot rotate BOT',
    left: 'If one leaked, anyone who has it can use it again: --end-tokens ends them all.',
  },
};

const others = [
  '- Passwords that were changed since are the old ones again, and accounts that were created since are missing.',
  '- Bans, kicks, blocks, roles, invites and the members of private channels are as they were: people banned since',
  '  aren’t, and people unbanned since are banned. Deleted messages are back.',
  '- Messages that were sent since are missing. Only authors who kept the text can send them again.',
];
