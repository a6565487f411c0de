/**
 * What has become of a large server is told on its members' own lists afterwards, a few at a time
 * (server/members/lists.ts): to lock the rooms of all of them at once would make everybody wait. A deleted server's
 * memberships end in the same way, so they outlive it for a while; nobody gets anything by them.
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
