/** Offers of a server's ownership. Nothing changes until the recipient accepts. */
export const transfers = `
create table transfers (
  server_id uuid primary key references servers (id) on delete cascade,
  from_id uuid not null references users (id) on delete cascade,
  to_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  -- The version in each one's own room of what that room says of it.
  from_version bigint not null,
  to_version bigint not null,
  check (from_id <> to_id)
);
create index transfers_from on transfers (from_id);
create index transfers_to on transfers (to_id);
create index transfers_created_at on transfers (created_at);
`;
