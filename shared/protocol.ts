/** The whole protocol: the contracts of all features, and the types of both ends of a socket. */
import type { z } from 'zod';
import { accountCommands, type Account } from './accounts.ts';
import { administrationCommands, type InstanceRole, type SignupPolicy } from './administration.ts';
import { auditCommands } from './audit.ts';
import { botCommands } from './bots.ts';
import { blockCommands } from './blocks.ts';
import { categoryCommands } from './categories.ts';
import { channelCommands } from './channels.ts';
import type { Change } from './changes.ts';
import { conversationCommands } from './conversations.ts';
import { disjoint, type EventContract } from './contract.ts';
import { emojiCommands } from './emoji.ts';
import type { Entry } from './entry.ts';
import type { Failure } from './failure.ts';
import { fileCommands } from './files.ts';
import { friendCommands } from './friends.ts';
import { inviteCommands, type InvitePreview } from './invites.ts';
import { joinRequestCommands } from './join-requests.ts';
import type { Limits } from './limits.ts';
import type { Quotas } from './quotas.ts';
import { localTimeCommands } from './local-time.ts';
import { memberCommands } from './members.ts';
import { messageCommands } from './messages.ts';
import { notificationCommands } from './notifications.ts';
import { pushCommands } from './push.ts';
import { peopleEvents, type People } from './people.ts';
import { pinCommands } from './pins.ts';
import { previewCommands } from './previews.ts';
import { presenceCommands, presenceEvents, type ChosenStatus } from './presence.ts';
import { reactionCommands } from './reactions.ts';
import { readCommands, readEvents, type Activity, type Badges } from './reads.ts';
import { reportCommands } from './reports.ts';
import { roleCommands } from './roles.ts';
import type { Room } from './rooms.ts';
import { searchCommands } from './search.ts';
import { serverCommands } from './servers.ts';
import { sidebarCommands } from './sidebar.ts';
import { syncCommands } from './sync.ts';
import { transferCommands } from './transfers.ts';
import { wordFilterCommands } from './word-filter.ts';
import { typingCommands, typingEvents } from './typing.ts';

/** The version of the protocol. The server refuses a client with another version, and says so. */
export const protocolVersion = 1;

export const commands = disjoint([
  accountCommands,
  serverCommands,
  transferCommands,
  inviteCommands,
  joinRequestCommands,
  channelCommands,
  memberCommands,
  messageCommands,
  reactionCommands,
  fileCommands,
  pinCommands,
  previewCommands,
  reportCommands,
  wordFilterCommands,
  readCommands,
  notificationCommands,
  sidebarCommands,
  pushCommands,
  searchCommands,
  syncCommands,
  botCommands,
  presenceCommands,
  localTimeCommands,
  typingCommands,
  conversationCommands,
  friendCommands,
  blockCommands,
  categoryCommands,
  emojiCommands,
  roleCommands,
  auditCommands,
  administrationCommands,
]);

/** Events that are not sent to sockets that cannot keep up. */
export const lossyEvents = disjoint([presenceEvents, peopleEvents, readEvents]);
export type LossyEvent = keyof typeof lossyEvents;

export const volatileEvents = disjoint([typingEvents]);
export type VolatileEvent = keyof typeof volatileEvents;
export type VolatilePayload<E extends VolatileEvent> = z.output<
  (typeof volatileEvents)[E]['payload']
>;

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export const isCommandName = (name: unknown): name is CommandName =>
  typeof name === 'string' && Object.hasOwn(commands, name);
/** Input as clients send it, before defaults and folding. */
export type Input<C extends CommandName> = z.input<Commands[C]['input']>;
/** Input as handlers receive it, after parsing. */
export type Parsed<C extends CommandName> = z.output<Commands[C]['input']>;
export type Output<C extends CommandName> = z.output<Commands[C]['output']>;

export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure };

export type ClientToServerEvents = {
  [C in CommandName]: (input: Input<C>, ack: (result: Result<Output<C>>) => void) => void;
};

/** The first event on a socket: the entry into the user’s own room, and all that a client needs to start. */
export type Ready = Entry<'user'> & {
  protocol: number;
  epoch: string;
  node: string;
  /** The client script that this server serves, so that an older page detects that it is outdated. */
  client?: string;
  limits: Limits & Quotas;
  /** The largest file that this server accepts, in bytes. 0: none. */
  fileBytes: number;
  you: Account;
  administers?: InstanceRole;
  /** True if you can create servers. */
  canCreateServers: boolean;
  seenAs: ChosenStatus;
  timelines: Badges;
  /** The id after which more badges follow: `sync` returns them. */
  moreTimelines?: string;
};

/** All changes of a room after version `from`, up to `to`. */
export interface RoomChanges {
  room: Room;
  from: number;
  to: number;
  changes: Change[];
  people: People;
}

/** Why the server closes a socket. With `retry`, reconnect; without, don’t. */
export interface Closing {
  code: 'drain' | 'renewed' | 'slow' | 'flood' | 'revoked' | 'expired' | 'unsupported';
  reason: string;
  retry: boolean;
  retryAfterMs?: number;
}

type ListenersOf<Events extends Record<string, EventContract>> = {
  [E in keyof Events]: (payload: z.output<Events[E]['payload']>) => void;
};

export interface ServerToClientEvents
  extends ListenersOf<typeof lossyEvents>, ListenersOf<typeof volatileEvents> {
  ready: (ready: Ready) => void;
  changes: (changes: RoomChanges) => void;
  /** The version that the client should have at least. `null`: the server took it out of this room. */
  head: (head: { room: Room; version: number | null }) => void;
  /** New messages in timelines that this socket has not joined; `null`: gone. At most once a second for each; lossy. */
  activity: (news: { timelines: Record<string, Activity | null> }) => void;
  /** The status that the user chose on another device. */
  seenAs: (news: { status: ChosenStatus }) => void;
  closing: (closing: Closing) => void;
}

/** `err.data` of a refused handshake. Without a session it includes what the sign-in page needs. */
export type Refusal = Failure & {
  /** The name of the instance, if it has one. */
  name?: string;
  registration?: SignupPolicy;
  guests?: SignupPolicy;
  invite?: InvitePreview;
  /** The instance has no owner yet: the person who started it has the link. */
  unclaimed?: true;
  supported?: number[];
};

/** `auth` of the handshake. */
export interface HandshakeAuth {
  protocol: number;
  invite?: string;
  /** A bot’s token. With it, cookies are ignored. */
  token?: string;
}
