/** Why somebody is banned, and until when. Bans that are there are for good, for no reason that was given. */
export const banTerms = `
alter table bans add column reason text, add column until timestamptz;
create index bans_until on bans (until) where until is not null;
`;
