/**
 * How many of a thing somebody or something may have, and for how many seconds or days things are kept. They are limits
 * like those of limits.ts, and told with them; no page needs them before it asks.
 */
export const quotas = {
  /** Of different emoji on one message. */
  reactionKinds: 20,
  /** Of each, so many people stand in the message’s row. */
  reactors: 20,
  /** Of one timeline. */
  pins: 50,
  /** For so long a file is kept that nothing has. */
  unnamedFileSeconds: 86_400,
  /** How long an unfinished upload is kept after its last chunk. */
  stalledFileSeconds: 600,
  /** Unfinished uploads of one account. */
  unfinishedFiles: 5,
  /** After this many wrong hashes, an upload is deleted. */
  fileRestarts: 3,
  /** So many of the people whose files take the most room are listed to the instance's owner. */
  largestUploaders: 20,
  serversPerPerson: 100,
  channelsPerServer: 500,
  channelMembers: 500,
  categoriesPerServer: 50,
  emojiPerServer: 100,
  invitesPerServer: 100,
  /** Of these a member can have so many; those who manage invites can have more. */
  invitesPerMember: 10,
  /** Of these so many are kept for those who manage invites. */
  invitesForStaff: 10,
  socketsPerPerson: 50,
  sessionsPerPerson: 100,
  botsPerPerson: 25,
  conversationsPerPerson: 1_000,
  /** That wait for one person’s answer. */
  messageRequestsPerPerson: 200,
  /** A request with at most this many messages is hidden once all of them are deleted. */
  requestMessages: 50,
  /** So many strangers have not answered one person in a week; PARLEY_RATE_SCALE multiplies it. */
  unansweredStarts: 20,
  friendsPerPerson: 1_000,
  friendRequestsPerPerson: 1_000,
  /** For so long after a decline, a new request is not shown to the person who declined. */
  declineSeconds: 604_800,
  blocksPerPerson: 1_000,
  /** Of servers, channels and conversations for which one person chose notifications. */
  notificationSettings: 1_000,
  /** Of one person’s devices, those that push messages are sent to. */
  pushDevices: 20,
  mentionsInBadge: 100,
  /** The most deleted positions in a badge; the newest ones are kept. */
  deletedInBadge: 100,
  /** For so long a link to a new password works. */
  resetSeconds: 3_600,
  /** How long sign-ins report a password reset. */
  resetNoticeDays: 30,
  /** For so long the audit log keeps what was done. */
  auditDays: 180,
} as const;

export type Quotas = typeof quotas;
