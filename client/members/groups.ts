import type { Role } from '../../shared/permissions.ts';
import type { Status } from '../../shared/presence.ts';

export interface ListedMember {
  userId: string;
  name: string;
  status: Status;
}

export interface MemberGroup<L extends ListedMember> {
  label: 'Online' | 'Idle' | 'Offline' | 'Staff' | 'Staff and roles';
  people: L[];
}

const labels = { online: 'Online', dnd: 'Online', idle: 'Idle', offline: 'Offline' } as const;

export function groupByStatus<L extends ListedMember>(everyone: readonly L[]): MemberGroup<L>[] {
  const sorted = byName(everyone);
  return (['Online', 'Idle', 'Offline'] as const)
    .map((label) => ({ label, people: sorted.filter(({ status }) => labels[status] === label) }))
    .filter(({ people }) => people.length > 0);
}

/** A large server lists only the staff and members with roles, as one group independent of presence. */
export const asListed = <L extends ListedMember & { role: Role }>(
  listed: readonly L[],
): MemberGroup<L> => ({
  label: listed.some(({ role }) => role === 'member') ? 'Staff and roles' : 'Staff',
  people: byName(listed),
});

const byName = <L extends ListedMember>(some: readonly L[]): L[] =>
  [...some].sort((a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId));
