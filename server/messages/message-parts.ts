/** Every feature's part of messages, joined: a feature adds its own here, and nothing else in this folder. */
import { ChatError } from '../../shared/failure.ts';
import { mentionedIn } from '../../shared/mentions.ts';
import type { Message } from '../../shared/messages.ts';
import type { Permission } from '../../shared/permissions.ts';
import { callPart } from '../calling/part.ts';
import type { Db } from '../database/database.ts';
import { filePart } from '../files/part.ts';
import { pinPart } from '../pins/part.ts';
import { reactionPart } from '../reactions/part.ts';
import { replyPart } from '../replies/part.ts';
import type {
  KeptMessages,
  MessagePart,
  PartColumn,
  PartField,
  PartFields,
  PositionRange,
  Quotable,
  SendAsk,
} from './part.ts';
import type { Write } from './write.ts';

const parts: readonly MessagePart[] = [replyPart, reactionPart, pinPart, callPart, filePart];

/** All columns that features add to a message, each with its field. */
export const partColumns: readonly (PartColumn & { field: PartField })[] = parts.flatMap(
  ({ columns }) =>
    Object.entries(columns).map(([field, column]) => ({
      field: field as PartField,
      ...column,
    })),
);

/** The messages that have to be known to send this. */
export const idsInSend = (ask: SendAsk): string[] =>
  parts.flatMap(({ send }) => send?.ids(ask) ?? []);

/** What features add to a message that is sent, or the first refusal. */
export function fieldsOfSend(
  ask: SendAsk,
  timelineId: string,
  find: (id: string) => Quotable | undefined,
): { fields: PartFields; refusal?: ChatError } {
  let fields: PartFields = {};
  for (const { send } of parts) {
    const added = send?.fields(ask, timelineId, find) ?? {};
    if (added instanceof ChatError) return { fields, refusal: added };
    fields = { ...fields, ...added };
  }
  return { fields };
}

/** What features add to each message that is sent, where that depends on more than other messages. */
export async function resolveSends(
  db: Db,
  batch: readonly Write[],
): Promise<Map<Write, ReturnType<typeof fieldsOfSend>>> {
  const sends = batch.flatMap((write) =>
    write.do === 'send' && write.ask !== undefined ? [{ ...write, ask: write.ask, write }] : [],
  );
  const resolved = new Map<Write, ReturnType<typeof fieldsOfSend>>();
  for (const { resolve } of sends.length === 0 ? [] : parts) {
    const added = (await resolve?.(db, sends)) ?? [];
    for (const [i, one] of added.entries()) {
      const write = sends[i]?.write;
      if (write === undefined) continue;
      const { fields, refusal } = resolved.get(write) ?? { fields: {} };
      resolved.set(
        write,
        one instanceof ChatError
          ? { fields, refusal: refusal ?? one }
          : { fields: { ...fields, ...one }, ...(refusal && { refusal }) },
      );
    }
  }
  return resolved;
}

/** Lets features keep what they have beside the rows. */
export async function keepParts(db: Db, kept: KeptMessages): Promise<void> {
  for (const { keep } of parts) await keep?.(db, kept);
}
/** What features add because of what it says. */
export const fieldsOfWords = (body: string, rights: ReadonlySet<Permission>): PartFields =>
  Object.assign({}, ...parts.map(({ words }) => words?.(body, rights))) as PartFields;

/** The messages with all that they say of others. */
export async function completed(
  messages: Message[],
  find: (ids: string[]) => Promise<ReadonlyMap<string, Quotable>>,
): Promise<Message[]> {
  let complete = messages;
  for (const part of parts) if (part.complete) complete = await part.complete(complete, find);
  return complete;
}

/** Everyone whom a message calls, by its words or otherwise, once each. */
export const peopleCalled = (message: PartFields & { body: string }): string[] => [
  ...new Set([
    ...mentionedIn(message.body),
    ...parts.flatMap(({ called }) => called?.(message) ?? []),
  ]),
];

/** Deletes up to `most` rows that features keep of these messages. Returns how many it were. */
export async function sweepParts(db: Db, range: PositionRange, most: number): Promise<number> {
  let swept = 0;
  for (const { sweep } of parts)
    if (sweep !== undefined && swept < most) swept += await sweep(db, range, most - swept);
  return swept;
}
