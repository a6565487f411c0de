/** Online status. It is not room state, but accompanies a server’s. The next full map repairs lost changes. */
import { z } from 'zod';
import { command, event, Id, Nothing, RoomName } from './contract.ts';

/** As others see it. People who are in no map are offline. */
export const Status = z.enum(['online', 'idle', 'dnd', 'offline']);
export type Status = z.infer<typeof Status>;

/** The status that a person chooses; others see `invisible` as offline. Stored with the account. */
export const ChosenStatus = z.enum(['online', 'idle', 'dnd', 'invisible']);
export type ChosenStatus = z.infer<typeof ChosenStatus>;

/** By user id, without profiles: rows bring those. Clients need not show people whose rows they lack. */
export const PresenceMap = z.record(Id, Status);
export type PresenceMap = z.infer<typeof PresenceMap>;

/** Counts the status changes that a node has received. On one connection, the higher is newer. */
export const PresenceVersion = z.int().min(0);

export const presenceEvents = {
  presence: event({
    summary:
      'Online statuses that changed; with `full`, all statuses of the room. Between an event’s `version` and an answer’s `presenceVersion`, the higher one is newer. Lossy.',
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
    summary: 'Sets your status on all your devices. Others see `invisible` as offline.',
    input: z.strictObject({ status: ChosenStatus }),
    output: z.strictObject({ status: ChosenStatus }),
    errors: [],
    rate: 'write',
  }),
  'presence:update': command({
    summary:
      'Reports whether this device is in use. People who chose `online` appear as idle while none of their devices is in use.',
    input: z.strictObject({ active: z.boolean() }),
    output: Nothing,
    errors: [],
    rate: 'write',
  }),
};
