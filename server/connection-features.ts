/** What features give to the connection, which knows none of them by name: who it is, and what `ready` says of them. */
import type { IncomingMessage } from 'node:http';
import type { InstanceRole } from '../shared/administration.ts';
import type { Refusal } from '../shared/protocol.ts';
import type { People } from '../shared/people.ts';
import type { ChosenStatus } from '../shared/presence.ts';
import type { Badge, Badges } from '../shared/reads.ts';
import type { Db } from './database/database.ts';
import type { Identity } from './realtime/chat-socket.ts';
import type { RoomCaller } from './realtime/subscribe.ts';

/** The badges of one answer. If not all fit, the rest comes after the timeline `moreTimelines`. */
export interface FittingBadges {
  timelines: Badges;
  moreTimelines?: string;
}

export type Unread = Badge & { timelineId: string };

export interface ConnectionFeatures {
  identity: Identifying;
  /** What the sign-in page shows a stranger. It does not fail. */
  greetStranger(from: { address: string; invite: unknown }): Promise<Partial<Refusal>>;
  isSessionLive(db: Db, sessionId: string): Promise<boolean>;
  findPeople(db: Db, ids: Iterable<string>): Promise<People>;
  instanceRoleOf(db: Db, userId: string): Promise<InstanceRole | undefined>;
  chosenStatus(db: Db, userId: string): Promise<ChosenStatus>;
  badges: {
    read(db: Db, userId: string): Promise<Unread[]>;
    /** As many as fit in so many bytes, but at least one. */
    fitting(unread: Unread[], bytes: number): FittingBadges;
    /** Joins the rooms of activity first, so that no message is in neither. */
    of(
      caller: RoomCaller,
      wanted: { after?: string | undefined; bytes: number },
    ): Promise<FittingBadges>;
  };
}

/** Whose credential a request or a handshake carries. Limits are taken before the database is asked. */
interface Identifying {
  /** The hash of the cookie or token, before it is known to be valid. Undefined for a stranger. */
  credentialOf(request: IncomingMessage, token: unknown): string | undefined;
  /** @throws ChatError unauthenticated, rate_limited */
  byToken(request: IncomingMessage, token: unknown): Promise<Identity>;
  /** Undefined for a stranger. @throws ChatError rate_limited */
  byCookie(request: IncomingMessage): Promise<Identity | undefined>;
}
