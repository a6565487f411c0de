/** Whom a client knows: no rows that any test is told may name somebody of whom its socket was not told. */
import { expect } from 'chai';
import type { z } from 'zod';
import { personIdsIn } from '../../shared/person-ids.ts';

interface Told {
  people?: Record<string, unknown>;
  you?: { id: string };
  changes?: { type: string; channel?: { memberIds?: string[] } }[];
  rooms?: Told[];
}

export interface Acquaintances {
  /** Takes in an event or an answer. One without `people` is about those whom its hearer knows. */
  meet(what: string, schema: z.ZodType, told: unknown): void;
}

export function openAcquaintances(): Acquaintances {
  const met = new Set<string>();
  let canLack = false;
  return {
    meet(what, schema, told) {
      const { people, you, changes, rooms = [] } = told as Told;
      const beside = [{ people }, ...rooms].flatMap(({ people = {} }) => Object.keys(people));
      if (you !== undefined) beside.push(you.id);
      for (const id of beside) met.add(id);
      // Of one private channel with the most members, of the longest names, not all fit.
      canLack ||= beside.length > 250;
      // Who was told that they are behind learns of the newcomers by asking, which tests do as they please.
      canLack ||= what === 'head';
      if (canLack || (people === undefined && rooms.length === 0)) return;
      // Of a larger channel, who was in it before is not told again.
      const isLarge = changes?.some(
        ({ type, channel }) =>
          type === 'privateChannel:updated' && (channel?.memberIds?.length ?? 0) > 50,
      );
      const known = isLarge === true ? met : new Set(beside);
      const strangers = personIdsIn(schema)(told).filter((id) => !known.has(id));
      expect(strangers, `${what} names people of whom nothing was told`).to.deep.equal([]);
    },
  };
}
