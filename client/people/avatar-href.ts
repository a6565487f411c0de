import type { Person } from '../../shared/people.ts';

/** The address of a person's picture. */
export const avatarHref = ({ avatar }: Pick<Person, 'avatar'>): string | undefined =>
  avatar && `/files/${avatar}/avatar`;
