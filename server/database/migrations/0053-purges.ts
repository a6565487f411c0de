/**
 * What somebody wrote in a server over some time, and is to be deleted: server/messages/purges.ts does it afterwards, a
 * few messages at a time, and notes here how far it is.
 */
export const purges = `
create table purges (
  server_id uuid not null references servers (id) on delete cascade,
  author_id uuid not null,
  by_id uuid not null,
  -- What the token of a bot allowed that asked for it.
  scopes jsonb,
  since timestamptz not null,
  until timestamptz not null,
  -- The channel that is searched, by id, and the position before which it is still to be.
  channel_id uuid,
  before bigint,
  due timestamptz not null default clock_timestamp(),
  primary key (server_id, author_id)
);
`;
