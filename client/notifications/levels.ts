import {
  inheritedLevel,
  levelOfAll,
  type NotificationSettings,
} from '../../shared/notification-rules.ts';
import type { NotificationLevel, NotificationSetting } from '../../shared/notifications.ts';
import { account } from '../accounts/account.svelte.ts';
import { dayAndClockAhead } from '../ui/dates.ts';
import type { NotificationPlace } from './place.ts';

export const levelWords: Record<NotificationLevel, string> = {
  all: 'All messages',
  mentions: 'Mentions and keywords',
  nothing: 'Nothing',
};

/** The level that applies if the place has no setting of its own. */
export function levelAround(settings: NotificationSettings, { kind, serverId }: NotificationPlace) {
  const chooser = { userId: account.id, settings };
  return kind === 'server' ? levelOfAll(chooser) : inheritedLevel(chooser, { serverId });
}

export const mutedWords = ({ muted }: Pick<NotificationSetting, 'muted'>): string =>
  muted?.until === undefined ? 'Muted' : `Muted until ${dayAndClockAhead(new Date(muted.until))}`;
