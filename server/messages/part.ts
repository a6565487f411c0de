/**
 * How a feature (replies, reactions, pins, files, mentions) extends messages: by fields of the row, writes, and rows to
 * delete with a timeline. Only message-parts.ts lists features; the writer, the flush and the store know none.
 */
import type { Account } from '../../shared/accounts.ts';
import type { ChatError } from '../../shared/failure.ts';
import type { Message, partFields } from '../../shared/messages.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import type { fileInput } from '../../shared/files.ts';
import type { replyInput } from '../../shared/replies.ts';
import type { Context } from '../caller.ts';
import type { Db } from '../database/database.ts';
import type { Envelope } from '../realtime/node-messages.ts';
import type { Claim } from './claim.ts';

export type Quotable = Pick<
  Message,
  'id' | 'timelineId' | 'authorId' | 'position' | 'body' | 'version' | 'deletedAt' | 'kind'
>;

export type SendAsk = Pick<
  Parsed<'message:send'>,
  keyof typeof replyInput | keyof typeof fileInput
>;

export interface Wording {
  id: string;
  timelineId: string;
  user: Account;
  body: string;
  /** False for an edit, and for a stored message that is sent again. */
  isNew: boolean;
  /** The stored message; undefined if it is new. */
  before: Message | undefined;
  /** The sender's input for features. Empty for an edit. */
  ask: SendAsk;
  rights: ReadonlySet<Permission>;
}

/** Finds quoted messages, including those in the same batch. */
export type FindQuotable = (ids: string[]) => Promise<ReadonlyMap<string, Quotable>>;

export interface MessagePart {
  /** By the field of the row. Each is stored as on the wire, null if absent. A deleted message has none of them. */
  columns?: Partial<Record<PartField, PartColumn>>;
  /** The fields of each sent or edited message, or a refusal. An edit keeps the other fields. Runs under the locks. */
  prepare?: (
    db: Db,
    wordings: readonly Wording[],
    find: FindQuotable,
  ) => Promise<(PartFields | ChatError)[]>;
  /** Writes the feature's own tables, in the transaction that stores these messages. */
  stored?: StoredHook;
  /** Fills in what a row shows of other messages, from their present state. */
  complete?: (messages: Message[], find: FindQuotable) => Promise<Message[]>;
  /** Deletes up to `limit` of the feature's own rows for messages of a deleted timeline. Returns how many. */
  sweep?: (db: Db, range: PositionRange, limit: number) => Promise<number>;
}

export type StoredHook = (db: Db, batch: StoredBatch) => Promise<StoredNews | undefined>;

/** A message after a write, before the database sets its time. */
export type Draft = Pick<Message, 'id' | 'timelineId' | 'authorId' | 'position' | 'body'> & {
  fields: PartFields;
};

export interface StoredBatch {
  /** New messages, in order of position for each timeline. */
  added: readonly Draft[];
  /** Deleted messages, as they were before. */
  deleted: readonly Message[];
  /** The messages whose text changes, including new and deleted ones. */
  reworded: readonly Draft[];
  /** Stored messages by id, as they were before. */
  before: ReadonlyMap<string, Message>;
  /** Deletions of other people's messages, each with the caller's address for the audit log. */
  removals: readonly { user: Account; address: string | undefined; message: Message }[];
  /** Senders of new messages in conversations that are still requests. */
  unanswered: readonly Claim[];
  /** Senders of new messages in channels where slow mode makes them wait. */
  slowed: readonly Claim[];
  /** Undefined for a conversation. */
  serverOf: (timelineId: string) => string | undefined;
  readRights: (claims: Claim[]) => Promise<(claim: Claim) => ReadonlySet<Permission>>;
}

export interface StoredNews {
  activity?: ReadonlyMap<string, Pick<NonNullable<Envelope['said']>, 'mentions' | 'calls'>>;
  afterCommit?: (context: Context) => Promise<unknown>;
}

export interface PartColumn {
  column: string;
  type: 'jsonb' | 'uuid' | 'text';
  /** Reduces the field to what is stored, if not all of it is. */
  toStored?: (field: unknown) => unknown;
  /** The most bytes that the field takes in an answer beyond those stored. */
  moreBytes?: number;
}

export interface PositionRange {
  timelineId: string;
  after: number;
  upTo: number;
}

/** A feature's write to an existing message, such as adding a reaction. The message is not deleted. */
export interface PartWriter<A = unknown> {
  /** True if many writes to one message can be one change. The writer then joins writes that arrive close together. */
  merges: boolean;
  /** The permission that the write needs, besides `see`. Without `see` the answer is always `not_found`. */
  permissionFor(ask: A): Permission;
  /** Decides on the writes in order of arrival, under the locks, and writes the feature's own tables. */
  write(db: Db, asked: PartRequest<A>[]): Promise<PartOutcome>;
}

export interface PartRequest<A> {
  ask: A;
  user: Account;
  /** The message as it is before all of these writes. */
  message: Message;
}

/** A write without a refusal and without changed fields changes nothing. */
export interface PartOutcome {
  /** By the index of the request. */
  refusals: ReadonlyMap<number, ChatError>;
  /** The fields that change, by the id of the message; undefined removes a field. */
  fields: ReadonlyMap<string, PartFields>;
  /** The fields of lines to add to the timeline (“Ann pinned a message”), by the index of the request. */
  lines?: ReadonlyMap<number, PartFields>;
}

/** A query of a feature for messages: a select of all columns, and their order. */
export interface RowQuery {
  rows: string;
  order: string;
}

export type PartFields = { [F in PartField]?: Message[F] | undefined };

export type PartField = keyof typeof partFields;
