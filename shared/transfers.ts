import { z } from 'zod';
import { command, Id, Nothing, PersonId, Time, Version } from './contract.ts';
import { limits } from './limits.ts';

/** An offer to hand over a server. It is in the user rooms of the two people only. */
export const Transfer = z.strictObject({
  serverId: Id,
  /** The owner. */
  fromId: PersonId,
  toId: PersonId,
  createdAt: Time,
  version: Version,
});
export type Transfer = z.infer<typeof Transfer>;

const Which = z.strictObject({ serverId: Id });

export const transferCommands = {
  'server:transfer': command({
    summary: `Offers a server to another member, who must be registered. Nothing changes until they accept; the offer ends after ${limits.transferDays} days, or when they leave. The same offer again changes nothing. Owner only.`,
    input: Which.extend({ userId: Id }),
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
  'server:acceptTransfer': command({
    summary: 'Accepts the ownership you were offered. The former owner becomes a moderator.',
    input: Which,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
  'server:declineTransfer': command({
    summary: 'Declines the ownership you were offered, or cancels your own offer.',
    input: Which,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
};
