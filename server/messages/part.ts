/**
 * The interface by which a feature (replies, reactions, pins, files) extends messages: its fields of the row, its
 * writes, and its rows to be deleted with a timeline. A feature implements it in its own folder, message-parts.ts
 * lists all implementations, and the writer, the flush and the store know no feature.
 */
import type { Account } from '../../shared/accounts.ts';
import type { ChatError } from '../../shared/failure.ts';
import type { Message, partFields } from '../../shared/messages.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import type { fileInput } from '../../shared/files.ts';
import type { replyInput } from '../../shared/replies.ts';
import type { Db } from '../database/database.ts';

/** The fields of a message that another message can quote. */
export type Quotable = Pick<
  Message,
  'id' | 'timelineId' | 'authorId' | 'position' | 'body' | 'version' | 'deletedAt' | 'kind'
>;

/** The input of `message:send` that belongs to features, such as the message that it replies to. */
export type SendAsk = Pick<
  Parsed<'message:send'>,
  keyof typeof replyInput | keyof typeof fileInput
>;

/** A message that is being sent, with what its sender asked of the features. */
export interface Sending {
  id: string;
  timelineId: string;
  user: Account;
  ask: SendAsk;
}

export interface MessagePart {
  /**
   * The feature's columns in `messages`, by the field of the row. Each is stored as it is on the wire, and is null if
   * the row lacks the field. A deleted message has none of them.
   */
  columns: Partial<Record<PartField, PartColumn>>;
  /** What the feature adds to a message that is sent. */
  send?: {
    /** The ids of other messages that `fields` needs. */
    ids: (ask: SendAsk) => string[];
    /** The fields for the row, or why the message is refused. */
    fields: (
      ask: SendAsk,
      timelineId: string,
      find: (id: string) => Quotable | undefined,
    ) => PartFields | ChatError;
  };
  /** Like `send`, for features that need more than other messages. Reads under the locks. One answer per message. */
  resolve?: (db: Db, sends: readonly Sending[]) => Promise<(PartFields | ChatError)[]>;
  /** Writes the feature's own tables in the same transaction, for messages that were added or deleted. */
  keep?: (db: Db, kept: KeptMessages) => Promise<void>;
  /** The fields that follow from the text, when it is sent and after each edit, by the rights of its author. */
  words?: (body: string, rights: ReadonlySet<Permission>) => PartFields;
  /** Fills in what a row shows of other messages, from their present state. */
  complete?: (
    messages: Message[],
    find: (ids: string[]) => Promise<ReadonlyMap<string, Quotable>>,
  ) => Promise<Message[]>;
  /** The users whom the message mentions by this feature, besides those named in its text. */
  called?: (fields: PartFields) => string[];
  /** Deletes up to `most` of the feature's own rows for messages of a deleted timeline. Returns how many. */
  sweep?: (db: Db, range: PositionRange, most: number) => Promise<number>;
}

/** The messages that a flush adds, and those that it deletes, as they were before. */
export interface KeptMessages {
  added: readonly { id: string; fields?: PartFields }[];
  deleted: readonly Message[];
}

export interface PartColumn {
  column: string;
  type: 'jsonb' | 'uuid' | 'text';
  /** Reduces the field to what is stored, if not all of it is. */
  keep?: (field: unknown) => unknown;
  /** How many bytes the field takes in an answer beyond what is stored, at most. */
  moreBytes?: number;
}

/** A range of positions in a timeline. */
export interface PositionRange {
  timelineId: string;
  after: number;
  upTo: number;
}

/** A write of the feature to an existing message, such as adding a reaction. The message is not deleted. */
export interface PartWriter<A = unknown> {
  /** True if many writes to one message can be one change: then writes that come within a moment are joined. */
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

/** The result of writes. A write without refusal and without changed fields changes nothing. */
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
