export const administration = `
alter table users
  add column administrator boolean not null default false,
  add column suspended_at timestamptz;
-- Administrators page through these by id, past any number of guests.
create index users_registered on users (id) where kind = 'registered';

-- One for each account. The secret itself is never stored.
create table password_resets (
  user_id uuid primary key references users (id) on delete cascade,
  secret_hash text not null unique,
  expires_at timestamptz not null
);
create index password_resets_expiry on password_resets (expires_at);
`;
