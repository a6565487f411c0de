/** Clients of a large server are sent only its staff. */
export const large = `
alter table servers add column large boolean not null default false;
create index members_staff on members (server_id) where role <> 'member';
`;
