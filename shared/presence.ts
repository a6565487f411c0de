/** Who is there. It is no room's state: it stands beside a server's, and what of it was missed is mended by the next whole map. */
import { z } from 'zod';
import { command, event, Id, Nothing, RoomName } from './contract.ts';

/** As others see it. Who is in no map is offline. */
export const Status = z.enum(['online', 'idle', 'dnd', 'offline']);
export type Status = z.infer<typeof Status>;

/** What one chooses to be seen as while one is there; `invisible` is seen as offline. It is kept with the account. */
export const ChosenStatus = z.enum(['online', 'idle', 'dnd', 'invisible']);
export type ChosenStatus = z.infer<typeof ChosenStatus>;

/** By people’s ids. It brings none of them along: rows do, and whose rows one does not hold one need not show. */
export const PresenceMap = z.record(Id, Status);
export type PresenceMap = z.infer<typeof PresenceMap>;

/** Counts the changes of statuses that a node has learned of: on one connection, the higher is newer. */
export const PresenceVersion = z.int().min(0);

export const presenceEvents = {
  presence: event({
    summary:
      'The online statuses that changed; with `full`, the room’s whole map. Of an event’s `version` and an answer’s `presenceVersion`, the higher is newer. Lossy.',
    payload: z.strictObject({
      room: RoomName,
      users: PresenceMap,
      version: PresenceVersion,
      full: z.boolean().optional(),
    }),
  }),
};

export const presenceCommands = {
  'presence:set': command({
    summary:
      'Chooses your status on all devices. No one else learns of `invisible`: it’s seen as offline.',
    input: z.strictObject({ status: ChosenStatus }),
    output: z.strictObject({ status: ChosenStatus }),
    errors: [],
    rate: 'write',
  }),
  'presence:update': command({
    summary:
      'Says whether this device is in use. People who chose `online` are seen as idle while none of their devices is in use.',
    input: z.strictObject({ active: z.boolean() }),
    output: Nothing,
    errors: [],
    rate: 'write',
  }),
};
