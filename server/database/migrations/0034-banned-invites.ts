/** A ban ends the invites of who is banned: those of earlier bans, too. */
export const bannedInvites = `
delete from invites using bans
where invites.server_id = bans.server_id and invites.created_by = bans.user_id;
`;
