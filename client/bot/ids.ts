/** Ids derived from what they identify, so that sending it again creates nothing twice. */
import { createHash } from 'node:crypto';
import { digitsOf, uuid } from '../sync/ids.ts';

/** @param at when it was created; becomes the id's time */
export const stableId = (at: Date, ...parts: string[]): string =>
  uuid(digitsOf(at.getTime()), hashOf(parts));

/** The id of a bot's nth reply to a message, or of its nth file. Carries the time of that message. */
export const replyId = (botId: string, messageId: string, ordinal: number): string =>
  uuid(messageId.replaceAll('-', '').slice(0, 12), hashOf([botId, messageId, String(ordinal)]));

const hashOf = (parts: string[]) => createHash('sha256').update(parts.join(' ')).digest('hex');
