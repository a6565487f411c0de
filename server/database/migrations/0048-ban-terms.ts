/** Existing bans stay permanent and without a reason. */
export const banTerms = `
alter table bans add column reason text, add column until timestamptz;
create index bans_until on bans (until) where until is not null;
`;
