/** The place of a benchmark: a whole node on its own embedded PostgreSQL, with fsync on as in production. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { createApp } from '../../server/app.ts';
import { parseConfig } from '../../server/config.ts';
import { query, type Db } from '../../server/database/database.ts';
import { startEmbedded } from '../../server/database/embedded.ts';
import { openLog } from '../../server/node/log.ts';
import type { Account } from '../../shared/accounts.ts';
import { ownContext, type Context } from '../../server/caller.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';

export interface BenchPlace extends Context {
  url: string;
  urls: string[];
  people: Account[];
  timelineIds: string[];
}

export const inPlace = (
  people: number,
  channels: number,
  work: (place: BenchPlace) => Promise<void>,
): Promise<void> =>
  inFolder((folder) =>
    onPostgres(join(folder, 'data'), async (connection) => {
      const { config } = parseConfig(settings);
      const running = await createApp(config, openLog(config), connection);
      const { node, url } = running;
      const context = ownContext(node);
      try {
        const inhabitants = await populate(context, people, channels);
        const here = url.replace('localhost', '127.0.0.1');
        await work({ ...context, url: here, urls: [here], ...inhabitants });
      } finally {
        await running.close();
      }
    }),
  );

const settings = {
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'error',
  PARLEY_RATE_SCALE: '1000000',
};

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function onPostgres<T>(
  data: string,
  work: (where: DatabaseAddress) => Promise<T>,
): Promise<T> {
  const postgres = await startEmbedded(data);
  try {
    return await work(postgres.connection);
  } finally {
    await postgres.stop();
  }
}

/** The first server, whose default channel all new accounts are in. */
export async function lobbyOf(db: Db): Promise<{ id: string; channelId: string }> {
  const [lobby] = await query<{ id: string; channelId: string }>(
    db,
    'select id, default_channel_id as "channelId" from servers',
  );
  if (lobby === undefined) throw new Error('There is no first server.');
  return lobby;
}

/** Inserts directly, because hundreds of registrations would hash hundreds of passwords. */
async function populate(context: Context, count: number, channels: number) {
  const lobby = await lobbyOf(context.db);
  const people = Array.from({ length: count }, (_, i): Account => {
    return { id: v7(), name: `Person ${i}`, kind: 'guest', rev: 1, username: null };
  });
  const ids = people.map(({ id }) => id);
  const names = people.map(({ name }) => name);
  await query(context.db, `insert into rooms (id, kind) select unnest($1::uuid[]), 'user'`, [ids]);
  await query(
    context.db,
    `insert into users (id, kind, display_name)
     select id, 'guest', name from unnest($1::uuid[], $2::text[]) as made (id, name)`,
    [ids, names],
  );
  await query(
    context.db,
    `insert into members (server_id, user_id, role, version, user_version)
     select $2, unnest($1::uuid[]), 'member', 1, 1`,
    [ids, lobby.id],
  );
  const more = Array.from({ length: channels - 1 }, () => v7());
  await query(context.db, `insert into rooms (id, kind) select unnest($1::uuid[]), 'timeline'`, [
    more,
  ]);
  await query(
    context.db,
    `insert into channels (id, server_id, name, position, version)
     select unnest($1::uuid[]), $2, 'aside', 1, 1`,
    [more, lobby.id],
  );
  return { people, timelineIds: [lobby.channelId, ...more] };
}
