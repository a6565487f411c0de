/** Ids that a bot gives to what it says: version 7 UUIDs. */
import { createHash, randomBytes } from 'node:crypto';

export const newId = (): string => uuid(digitsOf(Date.now()), randomBytes(10));

/**
 * An id that is always the same for the same thing: what is said again under it is not said twice.
 * @param at when the thing came to be; it becomes the id’s time
 */
export const stableId = (at: Date, ...parts: string[]): string =>
  uuid(digitsOf(at.getTime()), hashOf(parts));

/** The id of a bot’s nth reply to a message, with the time of what it answers. */
export const replyId = (botId: string, messageId: string, ordinal: number): string =>
  uuid(messageId.replaceAll('-', '').slice(0, 12), hashOf([botId, messageId, String(ordinal)]));

const digitsOf = (milliseconds: number) => milliseconds.toString(16).padStart(12, '0');
const hashOf = (parts: string[]) => createHash('sha256').update(parts.join(' ')).digest();

/** From 48 bits of time and at least 80 others, of which six give way to version and variant. */
function uuid(time: string, others: Buffer): string {
  const digits = others.toString('hex', 0, 10);
  const variant = (0x8 | (Number.parseInt(digits.charAt(4), 16) & 0x3)).toString(16);
  const parts = [
    time.slice(0, 8),
    time.slice(8),
    `7${digits.slice(1, 4)}`,
    `${variant}${digits.slice(5, 8)}`,
    digits.slice(8),
  ];
  return parts.join('-');
}
