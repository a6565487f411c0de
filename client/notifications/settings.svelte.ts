import {
  countsMentions,
  isMuted,
  type NotificationSettings,
  type NotificationTarget,
} from '../../shared/notification-rules.ts';
import type { NotificationSetting } from '../../shared/notifications.ts';
import type { Input } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';
import { now } from '../ui/now.ts';

const none: NotificationSettings = new Map();

class Settings {
  readonly rows = new RowsByRoom<NotificationSetting>(({ targetId }) => targetId);
  readonly #canEnd = $derived([...this.all.values()].some(({ muted }) => muted?.until));

  /** By target; the user's own id means everywhere. */
  get all(): NotificationSettings {
    return this.rows.in(userRoom(account.id)) ?? none;
  }

  /** The current time; reactive while a mute can end. */
  get now(): Date {
    return new Date(this.#canEnd ? now() : Date.now());
  }

  isMuted(target: NotificationTarget): boolean {
    return isMuted({ userId: account.id, settings: this.all }, target, this.now);
  }

  /** True if the user has hidden the channel. */
  isHidden(channelId: string): boolean {
    return this.all.get(channelId)?.hidden === true;
  }

  countsMentions(target: NotificationTarget): boolean {
    const chooser = { userId: account.id, settings: this.all };
    return !isMuted(chooser, target, this.now) || countsMentions(chooser, target);
  }

  async choose(choice: Input<'notification:set'>) {
    const { setting } = await send('notification:set', choice);
    if (setting) this.rows.apply(userRoom(account.id), [{ row: setting }]);
  }
}

export const notificationSettings = new Settings();
