/** Notification settings: a slice of a person’s own room, so that all of their devices have them. */
import { isDeepStrictEqual } from 'node:util';
import { conflict } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import type { NotificationSetting } from '../../shared/notifications.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Ending } from '../endings.ts';
import type { Caller } from '../caller.ts';
import { requireTarget } from './access.ts';
import * as store from './store.ts';

type Choice = Parsed<'notification:set'>;

/** Changes the caller’s choices for one target. Returns null if none are left. */
export async function setNotifications(
  caller: Caller,
  choice: Choice,
): Promise<NotificationSetting | null> {
  const { db, user } = caller;
  const { targetId } = choice;
  const target = await requireTarget(db, caller, choice);
  const room = userRoom(user.id);
  return commit(caller, { rooms: [room] }, async (work) => {
    const known = await store.findSetting(work.db, user.id, targetId);
    const chosen = merge(known, choice);
    if (isDeepStrictEqual(chosen, merge(known, { targetId }))) return known ?? null;
    if (Object.keys(chosen).length === 0) {
      await store.deleteSetting(work.db, user.id, targetId);
      publishRemoval(work, user.id, targetId);
      return null;
    }
    if (known === undefined) await requireRoom(work, user.id);
    const { personId = target.personId } = known ?? {};
    const who = personId !== undefined && { personId };
    const setting = { targetId, ...who, ...chosen, version: work.nextVersion(room) };
    await store.saveSetting(work.db, user.id, setting);
    work.change(room, { type: 'notificationSetting:updated', version: setting.version, setting });
    return setting;
  });
}

type Chosen = Omit<NotificationSetting, 'targetId' | 'personId' | 'version'>;

/** Merges a choice into a setting: undefined fields stay, empty ones are removed. */
function merge(known: NotificationSetting | undefined, choice: Choice): Chosen {
  const { level, muted, hidden, exempt, keywords, quietHours } = choice;
  const words = keywords === undefined ? known?.keywords : [...new Set(keywords)];
  const next = {
    level: level === undefined ? known?.level : level,
    muted: muted === undefined ? known?.muted : muted,
    hidden: hidden === undefined ? known?.hidden : hidden || null,
    exempt: exempt === undefined ? known?.exempt : exempt || null,
    keywords: words?.length ? words : null,
    quietHours: quietHours === undefined ? known?.quietHours : quietHours,
  };
  return Object.fromEntries(
    Object.entries(next).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** At the quota, deletes settings of places that the person has left. @throws ChatError conflict if there are none */
async function requireRoom(work: RoomTransaction, userId: string): Promise<void> {
  const count = await store.countSettings(work.db, userId);
  if (count < quotas.notificationSettings) return;
  const gone = await store.deleteSettingsElsewhere(work.db, userId);
  for (const targetId of gone) publishRemoval(work, userId, targetId);
  if (gone.length === 0)
    throw conflict(
      `You can choose notifications for up to ${quotas.notificationSettings} places. Reset one first.`,
    );
}

function publishRemoval(work: RoomTransaction, userId: string, targetId: string): void {
  const room = userRoom(userId);
  const version = work.nextVersion(room);
  work.change(room, { type: 'notificationSetting:deleted', version, targetId });
}

/** Publishes nothing: a former guest has no device left. */
export const settingEnding: Ending = { account: ({ db }, { id }) => store.deleteSettings(db, id) };
