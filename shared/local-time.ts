import { z } from 'zod';
import { Bounded, command, Id } from './contract.ts';
import { limits } from './limits.ts';

const isTimeZone = (name: string) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

export const TimeZone = Bounded(limits.timeZone, 'This isn’t a time zone.')
  .refine((name) => name.length <= limits.timeZone && isTimeZone(name), 'This isn’t a time zone.')
  .meta({ description: 'An IANA time zone name.', examples: ['Europe/Oslo', 'Asia/Kolkata'] });

export const localTimeCommands = {
  'localTime:set': command({
    summary:
      'Sets your time zone, and whether people who know you, for example from a shared server, can see your local time. While it isn’t shared, your time zone isn’t stored.',
    input: z.strictObject({ timeZone: TimeZone.optional(), shared: z.boolean().optional() }),
    output: z.strictObject({ shared: z.boolean() }),
    errors: [],
    rate: 'write',
    who: 'people',
  }),
  'localTime:get': command({
    summary:
      'Returns a person’s offset from UTC in minutes; null if they don’t share it, or if you don’t know each other.',
    input: z.strictObject({ userId: Id }),
    output: z.strictObject({ utcOffset: z.int().nullable() }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
};
