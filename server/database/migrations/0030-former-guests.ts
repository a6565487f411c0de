/** Existing guests count as away from this migration on, because the end of their sessions is unknown. */
export const formerGuests = `
alter table users
  add column away_since timestamptz not null default now(),
  -- Its name is gone and it is in nothing; the row stays for what it said.
  add column ended_at timestamptz;
create index users_guests on users (away_since) where kind = 'guest' and ended_at is null;
`;
