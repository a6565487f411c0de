import type { Invite } from '../../shared/invites.ts';
import { limits } from '../../shared/limits.ts';

/** The terms of an invite link as the fields' values. Seconds and uses are unlimited if empty. */
export interface Terms {
  seconds: string;
  uses: string;
  guests: boolean;
}

export const usual: Terms = { seconds: String(limits.usualInviteSeconds), uses: '', guests: true };

export const durations = [
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '', label: 'Never' },
];
export const counts = [
  { value: '', label: 'No limit' },
  { value: '1', label: '1 use' },
  { value: '10', label: '10 uses' },
  { value: '100', label: '100 uses' },
];

/** The remaining terms as text: “Expires in 7 days, 10 uses”. */
export function inWords({ expiresAt, maxUses, guests }: Invite, now = Date.now()): string {
  const ends = expiresAt === null ? 'Never expires' : `Expires in ${daysUntil(expiresAt, now)}`;
  const uses = maxUses === null ? '' : `, ${usesOf(maxUses)}`;
  return `${ends}${uses}${guests ? '' : ', no guests'}`;
}

function daysUntil(end: string, now: number): string {
  const days = Math.max(1, Math.round((Date.parse(end) - now) / 86_400_000));
  return days === 1 ? '1 day' : `${days} days`;
}

const usesOf = (count: number) => (count === 1 ? '1 use' : `${count} uses`);

export function termsOf({ expiresAt, maxUses, uses, guests }: Invite, now = Date.now()): string {
  const times = maxUses === null ? usedTimes(uses) : `${uses} of ${usesOf(maxUses)}`;
  const used = guests ? times : `No guests · ${times.toLowerCase()}`;
  if (expiresAt === null) return `${used} · never expires`;
  const hours = Math.ceil((Date.parse(expiresAt) - now) / 3_600_000);
  if (hours <= 0) return `${used} · expired`;
  return `${used} · ${hours > 48 ? `${Math.ceil(hours / 24)} days` : `${hours} h`} left`;
}

function usedTimes(uses: number): string {
  if (uses === 0) return 'Not used yet';
  return uses === 1 ? 'Used once' : `Used ${uses} times`;
}
