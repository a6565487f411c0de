export const friends = `
create table friend_requests (
  id uuid primary key,
  sender_id uuid not null references users (id) on delete cascade,
  recipient_id uuid not null references users (id) on delete cascade,
  note text not null check (char_length(note) <= 200),
  created_at timestamptz not null default now(),
  -- Declined: its sender sees it as before, its recipient not at all.
  hidden boolean not null,
  -- The version in each one's own room of what that room says of it.
  sender_version bigint not null,
  recipient_version bigint not null,
  unique (sender_id, recipient_id),
  check (sender_id <> recipient_id)
);
create index friend_requests_recipient on friend_requests (recipient_id);

-- Outlives the request, so that taking it back and asking again is no way round a decline.
create table declines (
  sender_id uuid not null references users (id) on delete cascade,
  recipient_id uuid not null references users (id) on delete cascade,
  at timestamptz not null default now(),
  primary key (sender_id, recipient_id)
);

-- Two rows for each friendship, of one id: what each calls the other is their own.
create table friendships (
  user_id uuid not null references users (id) on delete cascade,
  friend_id uuid not null references users (id) on delete cascade,
  id uuid not null,
  nickname text check (char_length(nickname) between 1 and 64),
  favourite boolean not null default false,
  created_at timestamptz not null default now(),
  version bigint not null,
  primary key (user_id, friend_id),
  unique (id, user_id),
  check (user_id <> friend_id)
);
create index friendships_friend on friendships (friend_id);

create table blocks (
  user_id uuid not null references users (id) on delete cascade,
  blocked_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  version bigint not null,
  primary key (user_id, blocked_id),
  check (user_id <> blocked_id)
);
create index blocks_blocked on blocks (blocked_id);
`;
