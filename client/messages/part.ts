/**
 * The seam by which a feature adds to messages in the client: what a row shows of it, what people do with a message by
 * it, and what it adds to one that is being written. It is declared in the feature's folder and joined in
 * message-parts.ts; rows, menus, composer and outbox know no feature.
 */
import type { Component } from 'svelte';
import type { File } from '../../shared/files.ts';
import type { Message } from '../../shared/messages.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Shortcut } from '../keyboard/shortcuts.ts';
import type { Reply } from '../replies/replying.ts';
import type { LazyComponent } from '../ui/lazy.ts';
import type { Action } from './actions.ts';
import type { MessageItem } from './lines.ts';

export interface MessagePart {
  /** Shown above the words of a row, and below them: nothing where the row has nothing of it. */
  Above?: Component<RowProps>;
  Below?: Component<RowProps>;
  /** What screen readers hear of it between the author and the words. */
  spoken?: (line: MessageItem, serverId: string | undefined) => string[];
  /** Whether it calls me, as a mention does. */
  mentionsMe?: (line: MessageItem) => boolean;
  /** Whether the row names its author, even where the one above has the same. */
  startsGroup?: (line: Pick<MessageItem, 'message' | 'entry'>) => boolean;
  /** What people can do with a message, in the order in which it is offered. */
  actions?: (target: Target) => Action[];
  /** The same by keys; each answers `false` if it may not be done. */
  keys?: readonly Shortcut<Target>[];
  /** What comes of a finger that moves over the rows. */
  Gesture?: LazyComponent<GestureProps>;
  /** Takes in rows of a timeline, of whatever age. */
  receive?: (timelineId: string, rows: readonly Message[]) => void;
  /** The timeline is let go of. */
  forget?: (timelineId: string) => void;
  draft?: DraftPart;
}

export interface RowProps {
  line: MessageItem;
  timelineId: string;
  serverId: string | undefined;
  linkTo: (position: number) => string;
}

export interface GestureProps {
  /** What the rows are in. */
  list: HTMLElement;
  /** The message that a row shows, unless nothing can be done with it. */
  targetOf: (row: Element) => Target | undefined;
}

/** The message that something is done with, and by which click or key. */
export interface Target {
  line: MessageItem;
  timelineId: string;
  serverId: string | undefined;
  event?: Event | undefined;
}

/** What a feature adds to a message that is being written. */
export interface DraftPart {
  /** Of a draft. */
  of: (timelineId: string) => Extras;
  /** Takes it away: the message is on its way, or its writer wants none of it. */
  clear: (timelineId: string) => void;
  /** Reads it from what this device has saved. */
  read: (saved: Record<string, unknown>) => Extras;
  /** What `message:send` takes for it. */
  input: (extras: Extras) => Partial<Input<'message:send'>>;
  /** Whether a message may be this alone, without words. */
  speaks?: (extras: Extras) => boolean;
  /** Whether the message has to wait for some of it. */
  isPending?: (timelineId: string) => boolean;
  /** Esc in the composer leaves it. */
  stays?: true;
  /** Shown above the composer while the draft has any of it. */
  Bar: LazyComponent<DraftProps>;
  /** A button of the composer. */
  Tool?: Component<{ timelineId: string; name: string }>;
}

export interface DraftProps {
  timelineId: string;
  serverId: string | undefined;
  onclose: () => void;
}

/** What a message that is being written carries besides words. */
export interface Extras {
  reply?: Reply;
  files?: readonly File[];
}
