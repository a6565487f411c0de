import type { Person } from '../../shared/people.ts';

export const avatarHref = ({ avatar }: Pick<Person, 'avatar'>): string | undefined =>
  avatar && `/files/${avatar}/avatar`;
