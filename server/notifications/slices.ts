import type { NotificationSetting } from '../../shared/notifications.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findSettings } from './store.ts';

export const notificationSettingsOf = (
  db: Db,
  userId: string,
  page: Page,
): Promise<NotificationSetting[]> => findSettings(db, userId, page);
