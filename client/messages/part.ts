/**
 * How a feature extends messages in the client: content of a row, actions, additions to a draft. It declares its part
 * in its own folder, and message-parts.ts joins the parts, so that this folder depends on no feature.
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
  /** Shown above or below the text of a row; renders nothing if the message has no such content. */
  Above?: Component<RowProps>;
  Below?: Component<RowProps>;
  /** Read by screen readers between author and text. */
  spoken?: (line: MessageItem, serverId: string | undefined) => string[];
  /** Whether it notifies this user like a mention. */
  mentionsMe?: (line: MessageItem) => boolean;
  /** Whether the row shows its author even if the row above has the same. */
  startsGroup?: (line: Pick<MessageItem, 'message' | 'entry'>) => boolean;
  actions?: (target: MessageTarget) => Action[];
  /** The same actions by keys. Each returns `false` if it is not allowed. */
  keys?: readonly Shortcut<MessageTarget>[];
  Gesture?: LazyComponent<GestureProps>;
  /** Receives rows of a timeline, old or new. */
  receive?: (timelineId: string, rows: readonly Message[]) => void;
  /** Called when the timeline's data is dropped. */
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
  list: HTMLElement;
  /** The message of a row; undefined if it has no actions. */
  targetOf: (row: Element) => MessageTarget | undefined;
}

export interface MessageTarget {
  line: MessageItem;
  timelineId: string;
  serverId: string | undefined;
  event?: Event | undefined;
}

export interface Action {
  label: string;
  icon: IconNode;
  /** An emoji in place of the icon. */
  sign?: string;
  look: 'plain' | 'destructive';
  /** Listed near the end of the menu, before the deletion. */
  isLate?: true;
  /** A button of the toolbar; all others are in its menu. */
  isFrequent?: true;
  act: (event?: MouseEvent) => unknown;
}

export type SendInput = Partial<Input<'message:send'>>;

export interface DraftPart {
  of: (timelineId: string) => Extras;
  /** Removes the addition, because the message is being sent or the author discards it. */
  clear: (timelineId: string) => void;
  /** Gives the draft the addition of a failed message, unless it has one. */
  restore?: (timelineId: string, extras: Extras) => void;
  /** Reads the addition from this device's storage. */
  read: (saved: Record<string, unknown>) => Extras;
  /** The input of `message:send` for the addition. The message is sent once this resolves. */
  input: (extras: Extras, timelineId: string) => SendInput | Promise<SendInput>;
  /** Called when the author retries a failed message, after reading the reason. */
  confirm?: (extras: Extras) => void;
  /** Called when the message has arrived or was withdrawn. */
  drop?: (extras: Extras) => void;
  /** Whether a message can consist of the addition alone, without text. */
  speaks?: (extras: Extras) => boolean;
  /** Set if Esc in the composer does not remove it. */
  stays?: true;
  /** Shown above the composer while the draft has the addition. */
  Bar: LazyComponent<DraftProps>;
  Tool?: Component<{ timelineId: string; name: string }>;
}

export interface DraftProps {
  timelineId: string;
  serverId: string | undefined;
  onclose: () => void;
}
