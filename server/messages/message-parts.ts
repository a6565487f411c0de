/** Joins the message parts of all features. A feature adds its own to `parts`; nothing else here changes. */
import { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { Node } from '../caller.ts';
import type { Db } from '../database/database.ts';
import { slowPart } from '../slow-mode/part.ts';
import { filePart } from '../files/part.ts';
import { mentionPart } from '../mentions/part.ts';
import { perNode } from '../node/per-node.ts';
import { pinPart } from '../pins/part.ts';
import { previewPart } from '../links/part.ts';
import { reactionPart } from '../reactions/part.ts';
import { replyPart } from '../replies/part.ts';
import { wordPart } from '../word-filter/part.ts';
import type {
  FindQuotable,
  MessagePart,
  PartColumn,
  PartField,
  PartFields,
  PositionRange,
  StoredBatch,
  StoredHook,
  StoredNews,
  Wording,
} from './part.ts';

const parts: readonly MessagePart[] = [
  replyPart,
  reactionPart,
  pinPart,
  mentionPart,
  filePart,
  previewPart,
  wordPart,
  // Last: a message refused by another part starts no wait.
  slowPart,
];

/** Hooks that follow stored messages without adding to the row. Set when the node opens (features.ts). */
export const followersOn = perNode((_node: Node): readonly StoredHook[] => {
  throw new Error('followersOn was read before the node opened');
});

export const partColumns: readonly (PartColumn & { field: PartField })[] = parts.flatMap(
  ({ columns = {} }) =>
    Object.entries(columns).map(([field, column]) => ({
      field: field as PartField,
      ...column,
    })),
);

export interface Prepared {
  fields: PartFields;
  refusal?: ChatError;
}

export async function prepareParts(
  db: Db,
  wordings: readonly Wording[],
  find: FindQuotable,
): Promise<Prepared[]> {
  const prepared = wordings.map((): Prepared => ({ fields: {} }));
  for (const { prepare } of parts) {
    const open = wordings.flatMap((wording, i) => {
      const one = prepared[i];
      return one === undefined || one.refusal ? [] : [{ wording, one }];
    });
    if (prepare === undefined || open.length === 0) continue;
    const answers = await prepare(
      db,
      open.map(({ wording }) => wording),
      find,
    );
    for (const [i, answer] of answers.entries()) {
      const { one } = open[i] ?? {};
      if (one !== undefined && answer instanceof ChatError) one.refusal = answer;
      else Object.assign(one?.fields ?? {}, answer);
    }
  }
  return prepared;
}

export async function storeParts(node: Node, db: Db, batch: StoredBatch): Promise<StoredNews[]> {
  const hooks = [...parts.flatMap(({ stored }) => stored ?? []), ...followersOn(node)];
  const news = await Promise.all(hooks.map((stored) => stored(db, batch)));
  return news.flatMap((one) => one ?? []);
}

export async function completed(messages: Message[], find: FindQuotable): Promise<Message[]> {
  let complete = messages;
  for (const part of parts) if (part.complete) complete = await part.complete(complete, find);
  return complete;
}

export async function sweepParts(db: Db, range: PositionRange, limit: number): Promise<number> {
  let swept = 0;
  for (const { sweep } of parts)
    if (sweep !== undefined && swept < limit) swept += await sweep(db, range, limit - swept);
  return swept;
}
