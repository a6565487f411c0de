import { z } from 'zod';
import { Id } from './contract.ts';

/** As others see it. Who is in no map is offline. */
export const Status = z.enum(['online', 'idle', 'dnd', 'offline']);
export type Status = z.infer<typeof Status>;

export const PresenceMap = z.record(Id, Status);
export type PresenceMap = z.infer<typeof PresenceMap>;
