/** Every documented limit. Lengths are in characters (code points), sizes in bytes. Told to each client in `ready`. */
export const limits = {
  channelName: 32,
  channelTopic: 250,
  serverName: 64,
  categoryName: 64,
  displayName: 64,
  usernameMin: 2,
  username: 32,
  /** No name of a time zone is longer. */
  timeZone: 64,
  passwordMin: 8,
  password: 256,
  body: 4_000,
  /** Of the beginning of a message that is quoted. */
  excerpt: 200,
  packetBytes: 65_536,
  /** Of a file, in one command: with all around it, it fits a packet. */
  fileChunkBytes: 61_440,
  fileName: 200,
  /** What a picture shows, in words. */
  fileAlt: 500,
  filesPerMessage: 10,
  /** Of a picture, all its frames together: what has more is a file to download. Of AVIF, a third. */
  picturePixels: 52_000_000,
  pictureFrames: 1_000,
  /** Of a picture of somebody or something, as it is sent. It becomes a square with sides of so many pixels. */
  avatarBytes: 5_000_000,
  avatarPixels: 256,
  /** Of an emoji of a server’s own, as it is sent. It becomes a picture that no side of is longer. */
  emojiBytes: 262_144,
  emojiPixels: 128,
  /** One answer: a page, what a room is, a `sync`. What does not fit is said to come, and is asked for. */
  answerBytes: 262_144,
  authBodyBytes: 8_192,
  page: 100,
  pageDefault: 50,
  inviteSeconds: 31_536_000,
  inviteUses: 100_000,
  /** What one lasts unless somebody wants otherwise; it has no limit of uses then. */
  usualInviteSeconds: 604_800,
  banReason: 200,
  /** The longest that a ban lasts which ends by itself. */
  banSeconds: 2_592_000,
  /** So far back a ban can delete what somebody wrote. */
  purgeSeconds: 604_800,
  conversationName: 64,
  groupPeople: 50,
  friendRequestNote: 200,
  keywords: 20,
  keyword: 50,
  /** Of a push service’s address for one device. */
  pushEndpoint: 1_024,
  searchResults: 20,
  searchQuery: 256,
  /** Of messages that are found, in one page. */
  searchHits: 25,
  roomsPerSync: 200,
  /** For so long an offer of a server waits for an answer. */
  transferDays: 7,
} as const;

export type Limits = typeof limits;

interface Rate {
  /** How many, in how many seconds. */
  points: number;
  seconds: number;
}

/** How fast one account may go, for each class of command. PARLEY_RATE_SCALE multiplies the points. */
export const commandRates = {
  /** lists, opens, joins, looking whether anything was missed */
  read: { points: 120, seconds: 10 },
  /** messages: sent, edited, deleted */
  send: { points: 30, seconds: 10 },
  /** that one is writing */
  typing: { points: 20, seconds: 10 },
  /** renames, memberships, settings */
  write: { points: 60, seconds: 60 },
  /** new servers, channels, invites, conversations */
  create: { points: 30, seconds: 60 },
  /** searching for people, as one types */
  search: { points: 60, seconds: 60 },
  /** searching for messages, a page at a time */
  find: { points: 60, seconds: 30 },
  /** friend requests */
  ask: { points: 30, seconds: 3_600 },
  /** what makes the server hash a password */
  secret: { points: 10, seconds: 300 },
  /** files: begun, deleted */
  file: { points: 100, seconds: 60 },
  /** files finished: pictures are re-encoded */
  finish: { points: 100, seconds: 60 },
  /** pieces of files: 24 MB a second; nothing else counts for them */
  chunk: { points: 4_000, seconds: 10 },
  /** files read: the pictures of what one scrolls through */
  download: { points: 600, seconds: 10 },
  /** connecting, on all devices together */
  connect: { points: 200, seconds: 60 },
} as const satisfies Record<string, Rate>;

export type CommandRate = keyof typeof commandRates;

/**
 * How fast a stranger may go, before there is an account to count against. What counts for an address counts for
 * the networks around it too, with larger limits: 2 times for a /56 of IPv6, 4 times for a /48, 16 times for a /40,
 * 64 times for a /32, and 8 times for a /24 of IPv4.
 * What counts overall is only what addresses ask that are not quiet.
 */
export const strangerRates = {
  /** wrong passwords for one account from one address: the more there were, the longer one waits */
  wrongPassword: { points: 5, seconds: 15 },
  wrongPasswordAgain: { points: 10, seconds: 60 },
  wrongPasswordOften: { points: 20, seconds: 600 },
  wrongPasswordAlways: { points: 40, seconds: 3_600 },
  /** wrong passwords for one account from everywhere: beyond them strangers' are compared one at a time, with rests */
  wrongPasswordSlow: { points: 5, seconds: 600 },
  /** and beyond these, an address has only a few more */
  wrongPasswordOverall: { points: 50, seconds: 3_600 },
  wrongPasswordLate: { points: 3, seconds: 3_600 },
  /** on one device that has signed in to the account before; attempts of strangers do not count */
  loginPerDevice: { points: 10, seconds: 300 },
  /** wrong passwords on all such devices of one account, and at one address; more count as a stranger's */
  wrongOnDevices: { points: 20, seconds: 300 },
  wrongOnDevicesPerAddress: { points: 40, seconds: 300 },
  /** signing in, registering and visiting: an address that asks no more often is quiet; a wrong password counts for three */
  quietPerAddress: { points: 10, seconds: 300 },
  /** what all quiet addresses ask together */
  quietOverall: { points: 3_000, seconds: 60 },
  loginPerAddress: { points: 60, seconds: 300 },
  loginOverall: { points: 1_200, seconds: 60 },
  registerPerAddress: { points: 20, seconds: 3_600 },
  registerOverall: { points: 600, seconds: 60 },
  /** whether a username is free, as one types: told to nobody who wants to know it of many */
  usernamePerAddress: { points: 40, seconds: 600 },
  usernameOverall: { points: 1_200, seconds: 60 },
  /** links to a new password */
  resetPerAddress: { points: 20, seconds: 3_600 },
  resetOverall: { points: 600, seconds: 60 },
  guestPerAddress: { points: 40, seconds: 3_600 },
  guestOverall: { points: 1_200, seconds: 60 },
} as const satisfies Record<string, Rate>;

export type StrangerRate = keyof typeof strangerRates;

/** What each node counts by itself, without asking Redis: how fast it takes in requests and commands. */
export const nodeRates = {
  /**
   * requests and handshakes with nothing that shows who they are from: no cookie that we signed, no token that
   * was good lately. Callers who turn out to have an account are not counted.
   */
  unknownPerAddress: { points: 300, seconds: 60 },
  invitePerAddress: { points: 60, seconds: 60 },
  /** requests and handshakes with one cookie or token, before the database is asked whose it is */
  requestPerCredential: { points: 400, seconds: 10 },
  /** the same with a cookie that we signed, but whose session was not live lately: it may have ended */
  unknownPerCredential: { points: 20, seconds: 60 },
  /** what each account has to itself of its address: nobody else there can use it up */
  ownAtAddress: { points: 60, seconds: 10 },
  /**
   * rooms that `sync` has to enter, since what the client holds is not what is: a point for each, and four
   * more for one that is not there. Fifteen reconnects a minute of a client with 200 rooms; a
   * device that asks every 25 seconds what it missed needs next to none.
   */
  enter: { points: 3_000, seconds: 60 },
  /** what one account is answered, in KiB: who has had so much reads on when the minute is over */
  answered: { points: 8_192, seconds: 60 },
  /** what the accounts at one address send beyond their own share, together */
  commandPerAddress: { points: 1_200, seconds: 10 },
} as const satisfies Record<string, Rate>;

/**
 * What all connections of one account may send, in packets and bytes, whatever it is, and what one may before it is
 * known whose it is: at once, and in the long run each second. All that the limits above allow in ten seconds is
 * some 350 commands, and 30 of the longest messages are half a megabyte. A client that has had `maxRefused` packets
 * refused is cut off. PARLEY_RATE_SCALE multiplies these, too.
 */
export const packetRate = {
  packets: { burst: 600, second: 60 },
  bytes: { burst: 2_097_152, second: 262_144 },
  /** what comes as bytes, which only pieces of files do: as many packets, and as much, as their own limit allows */
  binaryPackets: { burst: 8_000, second: 800 },
  binaryBytes: { burst: 33_554_432, second: 25_165_824 },
  maxRefused: 200,
} as const;

/** How often in a day, whatever the class of the command allows. */
export const dailyRates = {
  /** one person asking the same other to be friends, or offering them servers */
  askAgain: { points: 10, seconds: 86_400 },
  /** one person renaming themselves or their bots: everyone who shares a place with them is told */
  rename: { points: 50, seconds: 86_400 },
  /** one person beginning to write to strangers, for each of them */
  strangersDaily: { points: 60, seconds: 86_400 },
  /** one person searching: nobody reads everybody's name */
  searchDaily: { points: 1_000, seconds: 86_400 },
  /** one guest searching for messages, a page at a time */
  guestFind: { points: 500, seconds: 86_400 },
  /** the bytes of what one guest writes, edits included */
  guestBytes: { points: 200_000, seconds: 86_400 },
  /** the bytes of files read by one person, or by the guests of one address, in KiB */
  readDaily: { points: 20_000_000, seconds: 86_400 },
} as const satisfies Record<string, Rate>;

export type RateName =
  CommandRate | StrangerRate | keyof typeof nodeRates | keyof typeof dailyRates;
// A pure call, so that bundlers leave it out of the page of a stranger, who needs none of it.
export const rates: Record<RateName, Rate> = /* @__PURE__ */ (() => ({
  ...commandRates,
  ...strangerRates,
  ...nodeRates,
  ...dailyRates,
}))();
