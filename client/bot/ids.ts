/** Ids that a bot gives to what it says: version 7 UUIDs. */
import { createHash, randomBytes } from 'node:crypto';

export const newId = (): string => uuid(Date.now().toString(16).padStart(12, '0'), randomBytes(10));

/**
 * The id of a bot's nth reply to a message: always the same, so that a reply sent again is the same message and
 * not a second one. It has the time of the message that it answers.
 */
export function replyId(botId: string, messageId: string, ordinal: number): string {
  const time = messageId.replaceAll('-', '').slice(0, 12);
  return uuid(time, createHash('sha256').update(`${botId} ${messageId} ${ordinal}`).digest());
}

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
