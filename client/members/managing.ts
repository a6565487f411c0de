/** The selected action on a member. */
export type Managing = 'member' | 'moderator' | 'remove' | 'ban' | undefined;
