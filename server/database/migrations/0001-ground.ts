/** Constraints also guard lengths and the default channel, so that no statement can bypass them. */
export const ground = `
create table settings (
  key text primary key,
  value text not null
);

-- Every room counts its changes. This row is what all writers of a room queue for, so it is kept narrow,
-- and its pages half empty, so that updates stay on their page.
create table rooms (
  id uuid primary key,
  kind text not null check (kind in ('user', 'server', 'timeline')),
  version bigint not null default 0,
  access_version bigint not null default 0,
  last_position bigint not null default 0
) with (fillfactor = 50);

create table users (
  id uuid primary key references rooms (id),
  kind text not null check (kind in ('guest', 'registered', 'bot')),
  username text unique check (username ~ '^[a-z0-9._-]{2,32}$'),
  display_name text not null check (char_length(display_name) between 1 and 64),
  password_hash text,
  rev integer not null default 1,
  created_at timestamptz not null default now(),
  check ((kind = 'registered') = (password_hash is not null)),
  check (kind = 'guest' or username is not null)
);

-- The cookie's value is never stored, only its hash; \`id\` is the public side.
create table sessions (
  id uuid primary key,
  token_hash text not null unique,
  user_id uuid not null references users (id) on delete cascade,
  data jsonb not null,
  device text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

create table servers (
  id uuid primary key references rooms (id),
  name text not null check (char_length(name) between 1 and 64),
  default_channel_id uuid not null,
  created_at timestamptz not null default now(),
  version bigint not null
);

create table channels (
  id uuid primary key references rooms (id),
  server_id uuid not null references servers (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 32),
  topic text not null default '' check (char_length(topic) <= 250),
  position integer not null,
  created_at timestamptz not null default now(),
  version bigint not null,
  unique (id, server_id)
);
create index channels_server on channels (server_id);

-- Exactly one default channel, and of this very server: deleting or moving it away fails here, whoever asks.
alter table servers add constraint default_channel_stays
  foreign key (default_channel_id, id) references channels (id, server_id);

create table members (
  server_id uuid not null references servers (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'moderator', 'member')),
  nickname text check (char_length(nickname) between 1 and 64),
  joined_at timestamptz not null default now(),
  version bigint not null,
  -- The version, in the member's own room, of what that room says of this server.
  user_version bigint not null,
  primary key (server_id, user_id)
);
create index members_user on members (user_id);
create unique index one_owner on members (server_id) where role = 'owner';

create table bans (
  server_id uuid not null references servers (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  banned_by uuid references users (id) on delete set null,
  created_at timestamptz not null default now(),
  primary key (server_id, user_id)
);

create table invites (
  code text primary key,
  server_id uuid not null references servers (id) on delete cascade,
  created_by uuid references users (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  max_uses integer,
  uses integer not null default 0,
  ownership boolean not null default false,
  check (uses >= 0 and (max_uses is null or uses <= max_uses))
);
create index invites_server on invites (server_id);

-- Who is somewhere no longer. Every node polls it, so that it holds while the nodes cannot hear each other;
-- \`user_id\` null means everybody.
create table revocations (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  scope uuid not null,
  access_version bigint not null,
  user_id uuid
);
create index revocations_at on revocations (at);
create index revocations_scope on revocations (scope, access_version);

create table messages (
  id uuid primary key,
  timeline_id uuid not null references rooms (id) on delete cascade,
  author_id uuid not null references users (id),
  position bigint not null check (position > 0),
  version bigint not null,
  body text not null,
  created_at timestamptz not null,
  edited_at timestamptz,
  deleted_at timestamptz,
  check (deleted_at is null or body = ''),
  constraint message_position unique (timeline_id, position),
  constraint message_version unique (timeline_id, version)
);
`;
