export const conversations = `
-- Of a pair the two are named here as well, in the order of their ids: so there is one of each at most.
create table conversations (
  id uuid primary key references rooms (id),
  kind text not null check (kind in ('pair', 'group')),
  name text check (char_length(name) between 1 and 64),
  creator_id uuid not null references users (id),
  low_id uuid references users (id),
  high_id uuid references users (id),
  created_at timestamptz not null default now(),
  check (low_id < high_id),
  check (case kind when 'pair' then high_id is not null and name is null else high_id is null end),
  unique (low_id, high_id)
);

create table participants (
  conversation_id uuid not null references conversations (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  -- Who came earlier has the lower one.
  arrival bigint generated always as identity,
  hidden_until bigint check (hidden_until >= 0),
  -- The version, in the participant's own room, of what that room says of this conversation.
  version bigint not null,
  primary key (conversation_id, user_id)
);
create index participants_user on participants (user_id);
`;
