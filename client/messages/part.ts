/**
 * The interface by which a feature extends messages in the client: what a row shows, actions on a message, and
 * additions to a draft. A feature declares its part in its own folder and message-parts.ts joins them; rows, menus,
 * composer and outbox know no feature.
 */
import type { IconNode } from 'lucide';
import type { Component } from 'svelte';
import type { Message } from '../../shared/messages.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Shortcut } from '../keyboard/shortcuts.ts';
import type { LazyComponent } from '../ui/lazy.ts';
import type { Extras } from './drafts.ts';
import type { MessageItem } from './lines.ts';

export interface MessagePart {
  /** Shown above or below the text of a row; renders nothing if the message has none of it. */
  Above?: Component<RowProps>;
  Below?: Component<RowProps>;
  /** Read by screen readers between author and text. */
  spoken?: (line: MessageItem, serverId: string | undefined) => string[];
  /** Whether it mentions this user, as a mention does. */
  mentionsMe?: (line: MessageItem) => boolean;
  /** Whether the row shows its author even if the row above has the same. */
  startsGroup?: (line: Pick<MessageItem, 'message' | 'entry'>) => boolean;
  /** Actions on a message, in the order of the menu. */
  actions?: (target: MessageTarget) => Action[];
  /** The same actions by keys; each returns `false` if it is not allowed. */
  keys?: readonly Shortcut<MessageTarget>[];
  /** Handles gestures over the rows on touch screens. */
  Gesture?: LazyComponent<GestureProps>;
  /** Takes rows of a timeline, old or new. */
  receive?: (timelineId: string, rows: readonly Message[]) => void;
  /** The timeline's data is dropped. */
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
  /** The element that contains the rows. */
  list: HTMLElement;
  /** The message of a row, unless it has no actions. */
  targetOf: (row: Element) => MessageTarget | undefined;
}

/** The message that an action applies to, and the click or key that triggered it. */
export interface MessageTarget {
  line: MessageItem;
  timelineId: string;
  serverId: string | undefined;
  event?: Event | undefined;
}

export interface Action {
  label: string;
  icon: IconNode;
  /** An emoji instead of the icon. */
  sign?: string;
  look: 'plain' | 'destructive';
  /** A button of the toolbar; all others are in the toolbar's menu. */
  isFrequent?: true;
  act: (event?: MouseEvent) => unknown;
}

export type SendInput = Partial<Input<'message:send'>>;

/** An addition to a draft. */
export interface DraftPart {
  /** The additions of a draft. */
  of: (timelineId: string) => Extras;
  /** Removes the addition: the message is being sent, or the author discards it. */
  clear: (timelineId: string) => void;
  /** Reads it from this device's storage. */
  read: (saved: Record<string, unknown>) => Extras;
  /** The input of `message:send` for it; the message is sent once this resolves. */
  input: (extras: Extras, timelineId: string) => SendInput | Promise<SendInput>;
  /** Called when the author retries a failed message, after reading why it failed. */
  confirm?: (extras: Extras) => void;
  /** The message has arrived or was withdrawn. */
  drop?: (extras: Extras) => void;
  /** Whether a message may consist of this alone, without text. */
  speaks?: (extras: Extras) => boolean;
  /** Esc in the composer does not remove it. */
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
