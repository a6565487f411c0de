/** Decides whether a message notifies a person, for the page and for push. No Zod, so that the browser can load it. */
import type { NotificationLevel, NotificationSetting, QuietHours } from './notifications.ts';
import type { ChosenStatus } from './presence.ts';

/** By target. The user’s own id stands for everything. */
export type NotificationSettings = ReadonlyMap<string, NotificationSetting>;

export interface Recipient {
  userId: string;
  settings: NotificationSettings;
  status: ChosenStatus;
}

/** A channel, or without a server a conversation. */
export interface NotificationTarget {
  timelineId: string;
  serverId?: string | undefined;
}

export interface NotifiableMessage extends NotificationTarget {
  authorId: string;
  body: string;
  /** Set for a line of the service about what a person did. */
  kind?: unknown;
  deletedAt?: string | undefined;
}

export interface Relation {
  isMentioned: boolean;
  /** One of the two blocks the other, or the conversation is a request that the recipient has not accepted. */
  isUnwanted?: boolean;
}

/** `badge` counts as unread, and as a mention if it is one. `notification` also notifies the person. */
export type Decision = 'nothing' | 'badge' | 'notification';

export function decideNotification(
  recipient: Recipient,
  message: NotifiableMessage,
  { isMentioned, isUnwanted = false }: Relation,
  now: Date,
): Decision {
  if (message.authorId === recipient.userId || message.deletedAt !== undefined) return 'nothing';
  if (isMuted(recipient, message, now))
    return isMentioned && countsMentions(recipient, message) ? 'badge' : 'nothing';
  if (isUnwanted || message.kind !== undefined) return 'badge';
  const isCalled = isMentioned || hasKeyword(recipient, message.body);
  if (!isWanted(recipient, message, isCalled)) return 'badge';
  const passes = [...targetIds(recipient, message), message.authorId];
  return isHeldBack(recipient, passes, now) ? 'badge' : 'notification';
}

/** True when any message there can notify, so that callers need not read messages where none can. */
export const canNotify = (
  recipient: Recipient,
  target: NotificationTarget,
  { isMentioned }: Pick<Relation, 'isMentioned'>,
  now: Date,
): boolean =>
  !isMuted(recipient, target, now) &&
  isWanted(recipient, target, isMentioned || keywordsOf(recipient).length > 0) &&
  // The author is not known here, so any exception can apply.
  !isHeldBack(recipient, recipient.settings.keys(), now);

function isWanted(recipient: Recipient, target: NotificationTarget, isCalled: boolean): boolean {
  const level = levelFor(recipient, target);
  return level === 'all' || (level === 'mentions' && isCalled);
}

/** True when mentions count as unread where everything else is muted. */
export const countsMentions = (chooser: Chooser, target: NotificationTarget): boolean =>
  levelFor(chooser, target) !== 'nothing';

type Chooser = Pick<Recipient, 'userId' | 'settings'>;

export const levelFor = (chooser: Chooser, target: NotificationTarget): NotificationLevel =>
  chooser.settings.get(target.timelineId)?.level ?? inheritedLevel(chooser, target);

/** In conversations every message notifies, unless the level for everything is `nothing`. */
export function inheritedLevel(
  chooser: Chooser,
  { serverId }: Pick<NotificationTarget, 'serverId'>,
): NotificationLevel {
  if (serverId !== undefined) return serverLevel(chooser, serverId);
  return levelOfAll(chooser) === 'nothing' ? 'nothing' : 'all';
}

export const serverLevel = (chooser: Chooser, serverId: string): NotificationLevel =>
  chooser.settings.get(serverId)?.level ?? levelOfAll(chooser);

export const levelOfAll = ({ settings, userId }: Chooser): NotificationLevel =>
  settings.get(userId)?.level ?? 'mentions';

const targetIds = ({ userId }: Chooser, { timelineId, serverId }: NotificationTarget): string[] => [
  timelineId,
  ...(serverId === undefined ? [] : [serverId]),
  userId,
];

export const isMuted = (chooser: Chooser, target: NotificationTarget, now: Date): boolean =>
  targetIds(chooser, target).some((id) => {
    const setting = chooser.settings.get(id);
    return setting?.hidden === true || isTargetMuted(setting, now);
  });

export function isTargetMuted(
  setting: Pick<NotificationSetting, 'muted'> | undefined,
  now: Date,
): boolean {
  const muted = setting?.muted;
  return (
    muted !== undefined && (muted.until === undefined || Date.parse(muted.until) > now.getTime())
  );
}

/** True during do not disturb or quiet hours, unless one of these ids is an exception. */
function isHeldBack(
  { settings, status, userId }: Recipient,
  ids: Iterable<string>,
  now: Date,
): boolean {
  const hours = settings.get(userId)?.quietHours;
  const isQuiet = status === 'dnd' || (hours !== undefined && isWithin(hours, now));
  return isQuiet && ![...ids].some((id) => settings.get(id)?.exempt);
}

/** True when `now` is within the hours. Hours that span midnight belong to the day on which they begin. */
export function isWithin({ from, to, timeZone, days = everyDay }: QuietHours, now: Date): boolean {
  const { minute, day } = localTime(timeZone, now);
  const isEvening = minute >= from && days.includes(day);
  if (from < to) return isEvening && minute < to;
  return isEvening || (minute < to && days.includes(day === 1 ? 7 : day - 1));
}

/** Indexed by ISO weekday minus one. */
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
export const everyDay = weekdays.map((_, index) => index + 1);

function localTime(timeZone: string, at: Date): { minute: number; day: number } {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = format.formatToParts(at);
  const valueOf = (type: 'weekday' | 'hour' | 'minute') =>
    parts.find((part) => part.type === type)?.value ?? '';
  return {
    minute: Number(valueOf('hour')) * 60 + Number(valueOf('minute')),
    day: weekdays.indexOf(valueOf('weekday')) + 1,
  };
}

/** True when a keyword is in the body as a word of its own. In scripts without spaces it matches anywhere. */
export function hasKeyword(chooser: Chooser, body: string): boolean {
  const keywords = keywordsOf(chooser);
  if (keywords.length === 0) return false;
  const text = folded(body);
  return keywords.some((keyword) => isIn(text, folded(keyword)));
}

const keywordsOf = ({ settings, userId }: Chooser): readonly string[] =>
  settings.get(userId)?.keywords ?? [];

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

const letter = /[\p{L}\p{N}\p{M}_]/u;
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function isIn(text: string, keyword: string): boolean {
  for (let at = text.indexOf(keyword); at >= 0; at = text.indexOf(keyword, at + 1)) {
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
    const [after = ''] = text.slice(at + keyword.length);
    const [first = ''] = keyword;
    const last = [...keyword].at(-1) ?? '';
    if (!areOneWord(before, first) && !areOneWord(last, after)) return true;
  }
  return false;
}

const areOneWord = (one: string, next: string): boolean =>
  [one, next].every((sign) => letter.test(sign) && !withoutSpaces.test(sign));
