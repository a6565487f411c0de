/** Deletes the invites of people banned earlier, because a ban now ends invites. */
export const bannedInvites = `
delete from invites using bans
where invites.server_id = bans.server_id and invites.created_by = bans.user_id;
`;
