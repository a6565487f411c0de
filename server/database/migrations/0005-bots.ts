/** A bot's token is a session that does not expire, under the token's hash. */
export const bots = `
-- Bots sign in by nothing, so they have no name for it.
alter table users
  drop constraint users_check1,
  add check (kind <> 'registered' or username is not null);

create table bots (
  user_id uuid primary key references users (id) on delete cascade,
  owner_id uuid not null references users (id) on delete cascade,
  scopes text[] not null default '{}',
  created_at timestamptz not null default now(),
  token_at timestamptz not null default now()
);
create index bots_owner on bots (owner_id);
`;
