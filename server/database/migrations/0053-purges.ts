/** server/messages/purges.ts deletes a person's messages later, a few at a time, and notes its progress here. */
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
