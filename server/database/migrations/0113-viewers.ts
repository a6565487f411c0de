/** The custom roles whose holders are members of a private channel; null without any. */
export const viewerRoles = `
alter table channels add column viewer_role_ids uuid[];
`;

/** A separate migration, because each statement locks a table for a moment. */
export const membersByRole = `
alter table channel_members add column by_role boolean not null default false;
`;
