import type { NotificationSetting } from '../../shared/notifications.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findSettings } from './store.ts';

/** The slice of a person's own room. */
export const notificationSettingsOf = (
  db: Db,
  userId: string,
  page: Page,
): Promise<NotificationSetting[]> => findSettings(db, userId, page);
