/**
 * server/members/lists.ts updates the lists of a large server's members later, a few at a time, because locking all of
 * their rooms at once would block everyone. So memberships outlive a deleted server, without giving access.
 */
export const untoldServers = `
create table untold_servers (
  server_id uuid primary key,
  -- The server is deleted, and so are the memberships of those who have been told.
  ended boolean not null,
  -- Up to this member, by id, all have been told.
  told uuid,
  at timestamptz not null default clock_timestamp()
);
alter table members drop constraint members_server_id_fkey;
alter table channel_members drop constraint channel_members_channel_id_server_id_fkey;
`;
