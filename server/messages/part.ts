/**
 * The seam by which a feature adds to messages: its fields of the row, its writes, and what it leaves to be swept.
 * It is declared in the feature's folder and joined in parts.ts; the writer, the flush and the store know no feature.
 */
import type { Account } from '../../shared/accounts.ts';
import type { ChatError } from '../../shared/failure.ts';
import type { Message, partFields } from '../../shared/messages.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import type { fileInput } from '../../shared/files.ts';
import type { replyInput } from '../../shared/replies.ts';
import type { Db } from '../database/database.ts';

/** A message as far as another can refer to it. */
export type Quotable = Pick<
  Message,
  'id' | 'timelineId' | 'authorId' | 'position' | 'body' | 'version' | 'deletedAt' | 'kind'
>;

/** What `message:send` takes besides words. */
export type SendAsk = Pick<
  Parsed<'message:send'>,
  keyof typeof replyInput | keyof typeof fileInput
>;

/** Somebody sends a message. */
export interface Sending {
  id: string;
  timelineId: string;
  user: Account;
  ask: SendAsk;
}

export interface MessagePart {
  /**
   * Its columns of `messages`, by the field of the row that they are. Each is stored as the wire has it, and null
   * where the row lacks it. A tombstone has none of them.
   */
  columns: Partial<Record<PartField, PartColumn>>;
  /** What it adds to a message that is sent. */
  send?: {
    /** The messages that it has to know. */
    ids: (ask: SendAsk) => string[];
    /** What the row carries, or why it may not. */
    fields: (
      ask: SendAsk,
      timelineId: string,
      find: (id: string) => Quotable | undefined,
    ) => PartFields | ChatError;
  };
  /** What it adds to messages that are sent, where that depends on more than other messages: one for each, read under the locks. */
  resolve?: (db: Db, sends: readonly Sending[]) => Promise<(PartFields | ChatError)[]>;
  /** Keeps what it has of them beside the row, in the same transaction. */
  keep?: (db: Db, kept: Kept) => Promise<void>;
  /** What the words bring, as they are sent and after each edit, by the rights of their author. */
  words?: (body: string, rights: ReadonlySet<Permission>) => PartFields;
  /** Puts in what a row says of other messages, as these now are. */
  complete?: (
    messages: Message[],
    find: (ids: string[]) => Promise<ReadonlyMap<string, Quotable>>,
  ) => Promise<Message[]>;
  /** Whom a message calls by it, besides those whom its words name. */
  called?: (fields: PartFields) => string[];
  /** Deletes up to `most` of its own rows that belong to messages of an ended timeline. Returns how many it were. */
  sweep?: (db: Db, range: PositionRange, most: number) => Promise<number>;
}

/** What becomes of messages: those that are new, and as they were those that are deleted. */
export interface Kept {
  added: readonly { id: string; fields?: PartFields }[];
  deleted: readonly Message[];
}

export interface PartColumn {
  column: string;
  type: 'jsonb' | 'uuid' | 'text';
  /** What of the field is stored, if not all. */
  keep?: (field: unknown) => unknown;
  /** What the field takes in an answer beyond what is stored of it, in bytes, at most. */
  moreBytes?: number;
}

/** Positions of a timeline. */
export interface PositionRange {
  timelineId: string;
  after: number;
  upTo: number;
}

/** What people may ask of a message that is there, which is not deleted. */
export interface PartWriter<A = unknown> {
  /** Whether many of one message are one change of it: then those that come within a moment are written together. */
  merges: boolean;
  /** The right that it takes. Without `see` nobody learns anything. */
  permissionFor(ask: A): Permission;
  /** Under the locks, decides in order of arrival, and stores what is its own. */
  write(db: Db, asked: PartRequest<A>[]): Promise<PartOutcome>;
}

export interface PartRequest<A> {
  ask: A;
  user: Account;
  /** As it is before all of them. */
  message: Message;
}

/** What is in neither changes nothing. */
export interface PartOutcome {
  /** By the place among what is asked. */
  refusals: ReadonlyMap<number, ChatError>;
  /** The fields that change, by the message's id; what is undefined is taken away. */
  fields: ReadonlyMap<string, PartFields>;
  /** Lines that tell of it in the timeline, in the name of who asked: what each carries, by the place among what is asked. */
  lines?: ReadonlyMap<number, PartFields>;
}

/** Rows of messages that a feature finds by what is its own: a select of all columns, and their order. */
export interface Rows {
  rows: string;
  order: string;
}

export type PartFields = { [F in PartField]?: Message[F] | undefined };

export type PartField = keyof typeof partFields;
