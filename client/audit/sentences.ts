/** The entries of the audit log in words. */
import type { AuditEntry } from '../../shared/audit.ts';
import { slowText } from '../channels/slow-mode.ts';
import { clock, longDay } from '../ui/dates.ts';
import { wordings } from './wordings.ts';

export interface Names {
  person(id: string): string;
  /** Undefined if the reader does not know the channel. */
  channel(serverId: string | null, id: string): string | undefined;
}

/** Text, or a name, which can have any direction. */
export type Part = string | { name: string };

/** An entry of several actions shows no detail, because it stores only the first one’s. */
export function partsOf(entry: AuditEntry, names: Names): Part[] {
  return textFor(entry)
    .split(/(\{\w+\})/)
    .flatMap((part) => {
      if (part === '') return [];
      return /^\{\w+\}$/.test(part) ? [filled(part.slice(1, -1), entry, names)] : [part];
    });
}

function textFor({ action, actorId, userId, detail, count }: AuditEntry): string {
  if (action === 'instance:renamed' && detail === '' && count === 1)
    return '{actor} removed the name of this Parley';
  const { one, many, alone = [one, many] } = wordings[action];
  const [single, several] = actorId === null ? alone : [one, many];
  const text = count > 1 ? several : single;
  // Without an account, the username can have been wrong, too.
  return action === 'session:refused' && userId === null
    ? text.replace(' as {person} with a wrong password', ' with a wrong username or password')
    : text;
}

function filled(
  place: string,
  { action, actorId, serverId, userId, subjectId, detail, count }: AuditEntry,
  names: Names,
): Part {
  if (place === 'n') return count.toLocaleString();
  if (place === 'actor') return actorId === null ? 'An operator' : { name: names.person(actorId) };
  if (place === 'person') return userId === null ? 'someone' : { name: names.person(userId) };
  if (place === 'channel') {
    const name = subjectId === null ? undefined : names.channel(serverId, subjectId);
    return name === undefined ? 'a channel' : { name: `#${name}` };
  }
  if (detail === null) return '…';
  if (action === 'channel:slowModeSet')
    return detail === '0' ? 'off' : `one message every ${slowText(Number(detail))}`;
  if (action.startsWith('instance:') && action !== 'instance:renamed')
    return allowed[detail] ?? detail;
  if (action === 'wordFilter:changed') return detail === '1' ? '1 entry' : `${detail} entries`;
  if (action === 'invite:paused' || action === 'messages:deleted') return fullDate(detail);
  return { name: detail };
}

/** Texts for the values of the instance’s settings. */
const allowed: Record<string, string> = {
  open: 'everyone',
  everyone: 'everyone with an account',
  invite: 'people with an invite link',
  closed: 'no one',
  administrators: 'administrators',
};

/** Not relative to today, because an export is read later. */
function fullDate(time: string): string {
  const at = new Date(time);
  return `${longDay(at)}, ${clock(at)}`;
}

export const textOf = (entry: AuditEntry, names: Names): string =>
  partsOf(entry, names)
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('');

/** The reason that a moderator gave. */
export const reasonOf = ({ action, detail, count }: AuditEntry): string | undefined =>
  count === 1 && (action === 'ban:created' || action === 'member:timedOut')
    ? (detail ?? undefined)
    : undefined;
