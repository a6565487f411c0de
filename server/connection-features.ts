/** Functions of features for `connection/`, which imports no feature: identification, and the content of `ready`. */
import type { IncomingMessage } from 'node:http';
import type { Account } from '../shared/accounts.ts';
import type { InstanceRole } from '../shared/administration.ts';
import type { Refusal } from '../shared/protocol.ts';
import type { People } from '../shared/people.ts';
import type { ChosenStatus } from '../shared/presence.ts';
import type { Badge, Badges } from '../shared/reads.ts';
import type { Db } from './database/database.ts';
import type { Identity } from './realtime/chat-socket.ts';
import type { RoomCaller } from './realtime/subscribe.ts';

export interface InstanceRights {
  administers?: InstanceRole;
  canCreateServers: boolean;
}

/** The badges that fit in one answer. The others follow after the timeline `moreTimelines`, the last one here. */
export interface FittingBadges {
  timelines: Badges;
  moreTimelines?: string;
}

export type Unread = Badge & { timelineId: string };

export interface ConnectionFeatures {
  identity: Identifying;
  /** Reads the data of the sign-in page for a stranger. Never rejects. */
  greetStranger(from: { address: string; invite: unknown }): Promise<Partial<Refusal>>;
  isSessionLive(db: Db, sessionId: string): Promise<boolean>;
  findPeople(db: Db, ids: Iterable<string>): Promise<People>;
  instanceRightsOf(db: Db, user: Account): Promise<InstanceRights>;
  chosenStatus(db: Db, userId: string): Promise<ChosenStatus>;
  badges: {
    read(db: Db, userId: string): Promise<Unread[]>;
    /** Takes as many as fit in `bytes`, but at least one. */
    fitting(unread: Unread[], bytes: number): FittingBadges;
    /** Joins the activity rooms before it reads the badges, so that no message is missing from both. */
    of(
      caller: RoomCaller,
      wanted: { after?: string | undefined; bytes: number },
    ): Promise<FittingBadges>;
  };
}

interface Identifying {
  /** Returns the hash of the cookie or token, which may be invalid. Undefined for a stranger. */
  credentialOf(request: IncomingMessage, token: unknown): string | undefined;
  /** @throws ChatError unauthenticated, rate_limited */
  byToken(request: IncomingMessage, token: unknown): Promise<Identity>;
  /** Undefined for a stranger. @throws ChatError rate_limited */
  byCookie(request: IncomingMessage): Promise<Identity | undefined>;
}
