export type Managing = 'member' | 'moderator' | 'remove' | 'ban' | undefined;
