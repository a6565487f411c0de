/** Large servers, whose members are not told of one by one: only their staff is. */
export const large = `
alter table servers add column large boolean not null default false;
create index members_staff on members (server_id) where role <> 'member';
`;
