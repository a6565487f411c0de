/** What I do with a member, once it is chosen. */
export type Managing = 'member' | 'moderator' | 'remove' | 'ban' | undefined;
