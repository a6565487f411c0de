/** Kinds of action, for the filter. */
export const kinds = {
  members: 'Members and roles',
  bans: 'Bans and time-outs',
  messages: 'Deleted messages',
  reports: 'Reports',
  channels: 'Channels, categories and emoji',
  invites: 'Invite links',
  bots: 'Bots',
  server: 'Server and ownership',
  accounts: 'Accounts',
  instance: 'Parley settings',
  signIns: 'Sign-ins and passwords',
} as const;
export type Kind = keyof typeof kinds;

/** The kinds of action that only the log of the instance has. */
export const ofInstance: readonly Kind[] = ['accounts', 'instance', 'signIns'];
