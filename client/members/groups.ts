import type { Status } from '../../shared/presence.ts';

export interface ListedMember {
  userId: string;
  name: string;
  status: Status;
}

export interface MemberGroup<L extends ListedMember> {
  label: 'Online' | 'Idle' | 'Offline' | 'Staff';
  people: L[];
}

const labels = { online: 'Online', dnd: 'Online', idle: 'Idle', offline: 'Offline' } as const;

export function groupByStatus<L extends ListedMember>(everyone: readonly L[]): MemberGroup<L>[] {
  const sorted = byName(everyone);
  return (['Online', 'Idle', 'Offline'] as const)
    .map((label) => ({ label, people: sorted.filter(({ status }) => labels[status] === label) }))
    .filter(({ people }) => people.length > 0);
}

/** In a large server only the staff is listed, as one group independent of presence. */
export const asStaff = <L extends ListedMember>(staff: readonly L[]): MemberGroup<L> => ({
  label: 'Staff',
  people: byName(staff),
});

const byName = <L extends ListedMember>(some: readonly L[]): L[] =>
  [...some].sort((a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId));
