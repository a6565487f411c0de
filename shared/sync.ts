/** Compares a client’s versions with the server’s, after a reconnect and to detect losses. */
import { z } from 'zod';
import { Bounded, command, Id, RoomName, Version } from './contract.ts';
import { AnySyncEntry, PartEnd } from './entry.ts';
import { limits } from './limits.ts';
import { Badges } from './reads.ts';

export const syncCommands = {
  sync: command({
    summary:
      'Enters these rooms, and returns what changed since the versions that the client has. If the client’s epoch differs from the server’s, returns a snapshot of every room. A room that doesn’t fit in the answer has the status `later`, or `more` for its next part: request it again immediately.',
    input: z.strictObject({
      epoch: Bounded(64, 'This isn’t an epoch.'),
      /** The version of each room that the client has. */
      rooms: z
        .record(RoomName, Version)
        .refine(
          (rooms) => Object.keys(rooms).length <= limits.roomsPerSync,
          `At most ${limits.roomsPerSync} rooms at a time.`,
        )
        .meta({ maxProperties: limits.roomsPerSync }),
      /** For incomplete snapshots: the `more` of the last part. */
      after: z
        .record(RoomName, PartEnd)
        .refine(
          (rooms) => Object.keys(rooms).length <= limits.roomsPerSync,
          `At most ${limits.roomsPerSync} rooms at a time.`,
        )
        .meta({ maxProperties: limits.roomsPerSync })
        .optional(),
      /** True also returns `timelines`; an id returns those after it, which `moreTimelines` named. */
      badges: z.union([z.boolean(), Id]).optional(),
    }),
    output: z.strictObject({
      epoch: z.string(),
      rooms: z.array(AnySyncEntry),
      timelines: Badges.optional(),
      moreTimelines: Id.optional(),
    }),
    errors: [],
    rate: 'read',
    // Comparing takes one query; each room that is not current also costs a point of `enter`.
    cost: ({ rooms }) => 1 + Math.floor(Object.keys(rooms).length / 50),
  }),
};
