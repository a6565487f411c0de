import type { Closing } from '../../shared/protocol.ts';
import type { Node } from '../caller.ts';

export type SessionEnding = 'renewed' | 'expired' | 'revoked' | 'suspended';

const closings: Record<SessionEnding, Closing> = {
  renewed: { code: 'renewed', reason: 'You signed in again.', retry: true },
  expired: { code: 'expired', reason: 'Your session expired. Sign in again.', retry: false },
  revoked: { code: 'revoked', reason: 'You were signed out.', retry: false },
  suspended: { code: 'revoked', reason: 'Your account is suspended.', retry: false },
};

export const closeEverywhere = ({ fanout }: Node, sessionIds: string[], why: SessionEnding): void =>
  fanout.closeSessions(sessionIds, closings[why]);

/** Closes the sockets on this node, because the message from the node that ended the sessions may have been lost. */
export const closeHere = ({ sockets }: Node, sessionIds: string[], why: SessionEnding): void =>
  sockets.closeSessions(sessionIds, closings[why]);
