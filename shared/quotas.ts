/** Limits on numbers of things, and how long things are kept. No page needs them before it sends a request. */
export const quotas = {
  reactionKinds: 20,
  /** People listed in the message’s row for each emoji. */
  reactors: 20,
  pins: 50,
  /** How long an unused file is kept. */
  unnamedFileSeconds: 86_400,
  /** How long an unfinished upload is kept after its last chunk. */
  stalledFileSeconds: 600,
  unfinishedFiles: 5,
  /** The longest wait of slow mode. */
  slowSeconds: 3_600,
  timeoutSeconds: 2_419_200,
  invitePauseSeconds: 86_400,
  /** How far back newcomers are listed. */
  newcomerSeconds: 604_800,
  newcomersListed: 200,
  /** People that one request bans. */
  bansAtOnce: 25,
  /** Entries of a server’s word filter, and the characters of each. */
  filteredWords: 200,
  filteredWord: 50,
  reportNote: 200,
  reportsPerPage: 25,
  /** Open reports of a server. Guests can make up half of them. */
  openReports: 200,
  openReportsPerPerson: 20,
  closedReportDays: 30,
  /** Requests to join a server. Guests can make up half of them. */
  joinRequests: 200,
  joinRequestsPerPerson: 20,
  /** After this many wrong hashes, an upload is deleted. */
  fileRestarts: 3,
  /** People in the list of the largest uploaders, which the owner of the instance sees. */
  largestUploaders: 20,
  serversPerPerson: 100,
  channelsPerServer: 500,
  channelMembers: 500,
  categoriesPerServer: 50,
  emojiPerServer: 100,
  rolesPerServer: 50,
  rolesPerMember: 10,
  /** Members of a server with roles. The room of a large server lists them, like moderators. */
  membersWithRoles: 1_000,
  invitesPerServer: 100,
  /** Invites of one member. People who manage invites can have more. */
  invitesPerMember: 10,
  /** Invites reserved for people who manage invites. */
  invitesForStaff: 10,
  socketsPerPerson: 50,
  sessionsPerPerson: 100,
  botsPerPerson: 25,
  conversationsPerPerson: 1_000,
  /** Requests that wait for one person’s answer. */
  messageRequestsPerPerson: 200,
  /** Unanswered requests of one person to strangers within a week. PARLEY_RATE_SCALE multiplies it. */
  unansweredStarts: 20,
  friendsPerPerson: 1_000,
  friendRequestsPerPerson: 1_000,
  /** How long after a decline a new request is not shown to the person who declined. */
  declineSeconds: 604_800,
  blocksPerPerson: 1_000,
  /** Servers, channels and conversations with notification settings of one person. */
  notificationSettings: 1_000,
  favouriteChannels: 100,
  collapsedCategories: 200,
  pushDevices: 20,
  /** Links of a message that get a preview, and the length of such a link. */
  previewsPerMessage: 3,
  previewLink: 1_000,
  mentionsInBadge: 100,
  /** Deleted positions in a badge; the newest ones are kept. */
  deletedInBadge: 100,
  resetSeconds: 3_600,
  /** How long sign-ins report a password reset. */
  resetNoticeDays: 30,
} as const;

export type Quotas = typeof quotas;
