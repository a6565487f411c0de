import type { NotificationSetting } from '../../shared/notifications.ts';
import { named, query, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';

type SettingRow = { [K in keyof NotificationSetting]-?: NotificationSetting[K] | null } & Pick<
  NotificationSetting,
  'targetId' | 'version'
>;

function toSetting({ targetId, version, ...chosen }: SettingRow): NotificationSetting {
  const given = Object.entries(chosen).filter(([, value]) => value !== null);
  return { targetId, version, ...(Object.fromEntries(given) as Partial<NotificationSetting>) };
}

const columns = `target_id as "targetId", version, level, muted, hidden, exempt, keywords,
  quiet_hours as "quietHours",
  (select id from users where users.id = target_id and target_id <> user_id) as "personId"`;

const settingsOf = named(
  `select ${columns} from notification_settings
   where user_id = $1 and ($2::uuid is null or target_id > $2) order by target_id limit $3`,
);

export async function findSettings(
  db: Db,
  userId: string,
  { after, limit }: Page = {},
): Promise<NotificationSetting[]> {
  const bound = [userId, after ?? null, limit ?? null];
  return (await query<SettingRow>(db, settingsOf, bound)).map(toSetting);
}

export async function findSetting(
  db: Db,
  userId: string,
  targetId: string,
): Promise<NotificationSetting | undefined> {
  const [row] = await query<SettingRow>(
    db,
    `select ${columns} from notification_settings where user_id = $1 and target_id = $2`,
    [userId, targetId],
  );
  return row && toSetting(row);
}

export async function countSettings(db: Db, userId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    'select count(*)::int as count from notification_settings where user_id = $1',
    [userId],
  );
  return row?.count ?? 0;
}

export async function saveSetting(
  db: Db,
  userId: string,
  { targetId, version, level, muted, hidden, exempt, keywords, quietHours }: NotificationSetting,
): Promise<void> {
  await query(
    db,
    `insert into notification_settings
       (user_id, target_id, version, level, muted, hidden, exempt, keywords, quiet_hours)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (user_id, target_id) do update set version = excluded.version,
       level = excluded.level, muted = excluded.muted, hidden = excluded.hidden,
       exempt = excluded.exempt, keywords = excluded.keywords, quiet_hours = excluded.quiet_hours`,
    [
      userId,
      targetId,
      version,
      level ?? null,
      muted ?? null,
      hidden ?? null,
      exempt ?? null,
      keywords ?? null,
      quietHours ?? null,
    ],
  );
}

export async function deleteSetting(db: Db, userId: string, targetId: string): Promise<void> {
  await query(db, 'delete from notification_settings where user_id = $1 and target_id = $2', [
    userId,
    targetId,
  ]);
}

/** Deletes settings of places where the person no longer is, and of ended accounts. Returns their targets. */
export async function deleteSettingsElsewhere(db: Db, userId: string): Promise<string[]> {
  const deleted = await query<{ targetId: string }>(
    db,
    `delete from notification_settings as settings
     where user_id = $1 and target_id <> $1
       and not exists (select from members where server_id = target_id and user_id = $1)
       and not exists (
         select from channels join members using (server_id)
         where channels.id = target_id and members.user_id = $1)
       and not exists (
         select from participants where conversation_id = target_id and user_id = $1)
       and not exists (select from users where id = target_id and ended_at is null)
     returning target_id as "targetId"`,
    [userId],
  );
  return deleted.map(({ targetId }) => targetId);
}

export async function deleteSettings(db: Db, userId: string): Promise<void> {
  await query(db, 'delete from notification_settings where user_id = $1', [userId]);
}
