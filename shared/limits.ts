/** Every documented limit, sent in `ready`. Lengths are in characters (code points), sizes in bytes. */
export const limits = {
  channelName: 32,
  channelTopic: 250,
  serverName: 64,
  categoryName: 64,
  roleName: 32,
  displayName: 64,
  statusText: 80,
  usernameMin: 2,
  username: 32,
  /** No time zone has a longer name. */
  timeZone: 64,
  passwordMin: 8,
  password: 256,
  body: 4_000,
  excerpt: 200,
  packetBytes: 65_536,
  /** The bytes of a file in one command. With the rest of the command they fit a packet. */
  fileChunkBytes: 61_440,
  fileName: 200,
  fileAlt: 500,
  filesPerMessage: 10,
  /** All frames of a picture together; a larger one becomes a file to download. AVIF: a third. */
  picturePixels: 52_000_000,
  pictureFrames: 1_000,
  /** An uploaded avatar or icon. It becomes a square with sides of `avatarPixels`. */
  avatarBytes: 5_000_000,
  avatarPixels: 256,
  /** An uploaded custom emoji. It becomes a picture with sides of up to `emojiPixels`. */
  emojiBytes: 262_144,
  emojiPixels: 128,
  /** One answer: a page, the state of a room, a `sync`. The answer names the rest, and the client requests it. */
  answerBytes: 262_144,
  authBodyBytes: 8_192,
  page: 100,
  pageDefault: 50,
  inviteSeconds: 31_536_000,
  inviteUses: 100_000,
  /** The default lifetime of an invite, which then has no limit of uses. */
  usualInviteSeconds: 604_800,
  /** The reason of a time-out or a ban. */
  banReason: 200,
  banSeconds: 2_592_000,
  /** How far back a ban can delete messages. */
  purgeSeconds: 604_800,
  conversationName: 64,
  groupPeople: 50,
  friendRequestNote: 200,
  /** A message request with at most this many messages is hidden once all of them are deleted. */
  requestMessages: 50,
  keywords: 20,
  keyword: 50,
  pushEndpoint: 1_024,
  searchResults: 20,
  searchQuery: 256,
  searchHits: 25,
  roomsPerSync: 200,
  /** How long an offer of a server waits for an answer. */
  transferDays: 7,
} as const;

export type Limits = typeof limits;

interface Rate {
  points: number;
  seconds: number;
}

/** Limits for one account, by class of command. PARLEY_RATE_SCALE multiplies the points. */
export const commandRates = {
  /** lists, opens, joins, `sync` */
  read: { points: 120, seconds: 10 },
  /** messages: sent, edited, deleted */
  send: { points: 30, seconds: 10 },
  typing: { points: 20, seconds: 10 },
  /** renames, memberships, settings */
  write: { points: 60, seconds: 60 },
  /** new servers, channels, invites, conversations */
  create: { points: 30, seconds: 60 },
  /** searches for people while typing */
  search: { points: 60, seconds: 60 },
  /** searches for messages, a page at a time */
  find: { points: 60, seconds: 30 },
  ask: { points: 30, seconds: 3_600 },
  /** commands that hash a password */
  secret: { points: 10, seconds: 300 },
  /** uploads begun, files deleted */
  file: { points: 100, seconds: 60 },
  /** uploads finished, which re-encodes pictures */
  finish: { points: 100, seconds: 60 },
  /** chunks of files, 24 MB a second; no other rate counts them */
  chunk: { points: 4_000, seconds: 10 },
  /** files read, such as pictures while scrolling */
  download: { points: 600, seconds: 10 },
  /** connections, on all devices together */
  connect: { points: 200, seconds: 60 },
} as const satisfies Record<string, Rate>;

export type CommandRate = keyof typeof commandRates;

/**
 * Limits for strangers, before there is an account to count against. A limit per address also applies to the networks
 * around it, with larger limits: 2 times for a /56 of IPv6, 4 times for a /48, 16 times for a /40, 64 times for a /32,
 * and 8 times for a /24 of IPv4.
 * The overall limits of sign-ins, registrations, resets and guests do not count quiet addresses.
 */
export const strangerRates = {
  /** wrong passwords for one account from one address: the wait grows with their number */
  wrongPassword: { points: 5, seconds: 15 },
  wrongPasswordAgain: { points: 10, seconds: 60 },
  wrongPasswordOften: { points: 20, seconds: 600 },
  wrongPasswordAlways: { points: 40, seconds: 3_600 },
  /** wrong passwords for one account from anywhere; above it, strangers’ are compared one at a time, with pauses */
  wrongPasswordSlow: { points: 5, seconds: 600 },
  /** above it, each address has only `wrongPasswordLate` left */
  wrongPasswordOverall: { points: 50, seconds: 3_600 },
  wrongPasswordLate: { points: 3, seconds: 3_600 },
  /** on one device that has signed in to the account before; attempts of strangers do not count */
  loginPerDevice: { points: 10, seconds: 300 },
  /** wrong passwords on all such devices of one account, and at one address; more count as a stranger’s */
  wrongOnDevices: { points: 20, seconds: 300 },
  wrongOnDevicesPerAddress: { points: 40, seconds: 300 },
  /** sign-ins, registrations and guests of a quiet address; a wrong password counts three times */
  quietPerAddress: { points: 10, seconds: 300 },
  quietOverall: { points: 3_000, seconds: 60 },
  loginPerAddress: { points: 60, seconds: 300 },
  loginOverall: { points: 1_200, seconds: 60 },
  registerPerAddress: { points: 20, seconds: 3_600 },
  registerOverall: { points: 600, seconds: 60 },
  /** checks whether a username is free while typing; stops the enumeration of usernames */
  usernamePerAddress: { points: 40, seconds: 600 },
  usernameOverall: { points: 1_200, seconds: 60 },
  resetPerAddress: { points: 20, seconds: 3_600 },
  resetOverall: { points: 600, seconds: 60 },
  guestPerAddress: { points: 40, seconds: 3_600 },
  guestOverall: { points: 1_200, seconds: 60 },
} as const satisfies Record<string, Rate>;

export type StrangerRate = keyof typeof strangerRates;

/** Limits that each node counts by itself, without asking Redis. */
export const nodeRates = {
  /** requests without a cookie signed by us or a recently valid token; callers with an account are not counted */
  unknownPerAddress: { points: 300, seconds: 60 },
  invitePerAddress: { points: 60, seconds: 60 },
  /** requests and handshakes with one cookie or token, before the database lookup */
  requestPerCredential: { points: 400, seconds: 10 },
  /** the same with a signed cookie whose session was not recently live and can have ended */
  unknownPerCredential: { points: 20, seconds: 60 },
  /** the share of each account at its address, which others there cannot use up */
  ownAtAddress: { points: 60, seconds: 10 },
  /**
   * rooms that `sync` has to enter because the client’s version is not current: a point for each, and four more for a
   * missing one. Allows fifteen reconnects a minute of a client with 200 rooms; a device that syncs every 25 seconds
   * needs next to none.
   */
  enter: { points: 3_000, seconds: 60 },
  /** KiB of answers to one account; above it, the account reads on when the minute is over */
  answered: { points: 8_192, seconds: 60 },
  /** links, and their pictures, that a node reads for messages of one account, of all guests together, and from one host */
  previews: { points: 30, seconds: 300 },
  previewsForGuests: { points: 200, seconds: 300 },
  previewsPerHost: { points: 60, seconds: 60 },
  /** commands from all accounts at one address beyond their shares */
  commandPerAddress: { points: 1_200, seconds: 10 },
} as const satisfies Record<string, Rate>;

/**
 * Packets and bytes of any kind that all connections of one account can send, and a connection before its account is
 * known: `burst` at once, and `second` per second in the long run. All that the limits above allow in ten seconds is
 * about 350 commands, and 30 of the longest messages are half a megabyte. The server closes a connection after
 * `maxRefused` refused packets. PARLEY_RATE_SCALE multiplies these, too.
 */
export const packetRate = {
  packets: { burst: 600, second: 60 },
  bytes: { burst: 2_097_152, second: 262_144 },
  /** binary packets, which only chunks of files use: as many and as much as their own limit allows */
  binaryPackets: { burst: 8_000, second: 800 },
  binaryBytes: { burst: 33_554_432, second: 25_165_824 },
  maxRefused: 200,
} as const;

/** Limits for a day, besides the rate of the command. */
export const dailyRates = {
  /** friend requests and offers of servers from one person to the same other */
  askAgain: { points: 10, seconds: 86_400 },
  /** renames by one person of themselves or their bots: everyone who shares a place with them is notified */
  rename: { points: 50, seconds: 86_400 },
  /** people, except friends, that one person starts to write to */
  strangersDaily: { points: 60, seconds: 86_400 },
  /** changes of the own status text: everyone who shares a place is notified */
  statusText: { points: 40, seconds: 86_400 },
  /** groups into which one person brings the same other, unless they are friends */
  groupsWithOne: { points: 10, seconds: 86_400 },
  /** searches by one person, so that no one reads all names */
  searchDaily: { points: 1_000, seconds: 86_400 },
  /** searches for messages by one guest, a page at a time */
  guestFind: { points: 500, seconds: 86_400 },
  /** bytes that one guest writes, edits included */
  guestBytes: { points: 200_000, seconds: 86_400 },
  /** KiB of files read by one person, or by the guests of one address */
  readDaily: { points: 20_000_000, seconds: 86_400 },
} as const satisfies Record<string, Rate>;

export type RateName =
  CommandRate | StrangerRate | keyof typeof nodeRates | keyof typeof dailyRates;
// Marked pure, so that bundlers leave it out of the page of a stranger, which does not use it.
export const rates: Record<RateName, Rate> = /* @__PURE__ */ (() => ({
  ...commandRates,
  ...strangerRates,
  ...nodeRates,
  ...dailyRates,
}))();
