/** Ids that are always the same for the same thing: what is said again under one is not said twice. */
import { createHash } from 'node:crypto';
import { digitsOf, uuid } from '../sync/ids.ts';

/** @param at when the thing came to be; it becomes the id’s time */
export const stableId = (at: Date, ...parts: string[]): string =>
  uuid(digitsOf(at.getTime()), hashOf(parts));

/** The id of a bot’s nth reply to a message, with the time of what it answers. */
export const replyId = (botId: string, messageId: string, ordinal: number): string =>
  uuid(messageId.replaceAll('-', '').slice(0, 12), hashOf([botId, messageId, String(ordinal)]));

const hashOf = (parts: string[]) => createHash('sha256').update(parts.join(' ')).digest('hex');
