import type { Role } from '../../shared/permissions.ts';
import type { Status } from '../../shared/presence.ts';

export interface ListedMember {
  userId: string;
  name: string;
  status: Status;
}

export interface MemberGroup {
  label: 'Online' | 'Idle' | 'Offline' | 'Staff' | 'Staff and roles';
  userIds: string[];
}

const labels = { online: 'Online', dnd: 'Online', idle: 'Idle', offline: 'Offline' } as const;

export function groupByStatus(everyone: readonly ListedMember[]): MemberGroup[] {
  const sorted = byName(everyone);
  return (['Online', 'Idle', 'Offline'] as const)
    .map((label) => ({
      label,
      userIds: idsOf(sorted.filter(({ status }) => labels[status] === label)),
    }))
    .filter(({ userIds }) => userIds.length > 0);
}

/** A large server lists only the staff and members with roles, as one group independent of presence. */
export const asListed = (listed: readonly (ListedMember & { role: Role })[]): MemberGroup => ({
  label: listed.some(({ role }) => role === 'member') ? 'Staff and roles' : 'Staff',
  userIds: idsOf(byName(listed)),
});

const byName = (some: readonly ListedMember[]) =>
  [...some].sort((a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId));

const idsOf = (some: readonly ListedMember[]) => some.map(({ userId }) => userId);
