/** Checks that a client knows everyone it is shown: no rows name an account that the socket has not received. */
import { expect } from 'chai';
import type { z } from 'zod';
import { personIdsIn } from '../../shared/person-ids.ts';

interface People {
  people?: Record<string, unknown>;
  you?: { id: string };
  changes?: { type: string; channel?: { memberIds?: string[] } }[];
  rooms?: People[];
}

export interface Acquaintances {
  /** Records an event or an answer. One without `people` is about people the receiver knows. */
  meet(what: string, schema: z.ZodType, payload: unknown): void;
}

export function openAcquaintances(): Acquaintances {
  const met = new Set<string>();
  let canLack = false;
  return {
    meet(what, schema, payload) {
      const { people, you, changes, rooms = [] } = payload as People;
      const beside = [{ people }, ...rooms].flatMap(({ people = {} }) => Object.keys(people));
      if (you !== undefined) beside.push(you.id);
      for (const id of beside) met.add(id);
      // The most members of a private channel, with the longest names, do not all fit.
      canLack ||= beside.length > 250;
      // After `head`, a client learns of newcomers by asking, and tests ask as they please.
      canLack ||= what === 'head';
      if (canLack || (people === undefined && rooms.length === 0)) return;
      // For a larger channel, earlier members are not sent again.
      const isLarge = changes?.some(
        ({ type, channel }) =>
          type === 'privateChannel:updated' && (channel?.memberIds?.length ?? 0) > 50,
      );
      const known = isLarge === true ? met : new Set(beside);
      const strangers = personIdsIn(schema)(payload).filter((id) => !known.has(id));
      expect(strangers, `${what} names people of whom nothing was told`).to.deep.equal([]);
    },
  };
}
