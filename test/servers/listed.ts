import type { Person } from '../support/person.ts';

export const listed = async (person: Person): Promise<string[]> =>
  (await person.send('server:list', {})).servers.map(({ id }) => id);
