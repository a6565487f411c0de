export const privates = `
alter table channels
  add column private boolean not null default false,
  add unique (id, server_id, private);

-- The default channel is never private, whoever asks.
alter table servers
  add column default_is_private boolean not null default false check (not default_is_private),
  add constraint default_channel_is_public
    foreign key (default_channel_id, id, default_is_private) references channels (id, server_id, private);

-- Only members of the server can be in. Who leaves the server is out, and coming back does not restore it.
create table channel_members (
  channel_id uuid not null,
  user_id uuid not null,
  server_id uuid not null,
  -- The version, in the member's own room, of what that room says of this channel.
  user_version bigint not null,
  primary key (channel_id, user_id),
  foreign key (channel_id, server_id) references channels (id, server_id) on delete cascade,
  foreign key (server_id, user_id) references members (server_id, user_id) on delete cascade
);
create index channel_members_member on channel_members (user_id, server_id);
create index channel_members_server on channel_members (server_id);

-- What somebody, or everybody, is out of, if not of the whole server.
alter table revocations add column rooms text[];
`;
