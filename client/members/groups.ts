/** The member list: who is here, who is away, who is not; each by name. */
import type { Status } from '../../shared/presence.ts';

export interface Listed {
  userId: string;
  name: string;
  status: Status;
}

export interface Group<L extends Listed> {
  label: 'Online' | 'Idle' | 'Offline';
  people: L[];
}

const labels = { online: 'Online', dnd: 'Online', idle: 'Idle', offline: 'Offline' } as const;

export function groupByStatus<L extends Listed>(everyone: readonly L[]): Group<L>[] {
  const sorted = [...everyone].sort(
    (a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId),
  );
  return (['Online', 'Idle', 'Offline'] as const)
    .map((label) => ({ label, people: sorted.filter(({ status }) => labels[status] === label) }))
    .filter(({ people }) => people.length > 0);
}
