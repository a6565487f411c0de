/** Keyed hashes of the device and network where an account was created. A ban keeps a copy. */
export const origins = `
create table origins (
  user_id uuid primary key references users (id) on delete cascade,
  device text not null,
  network text,
  created_at timestamptz not null default now()
);
create index origins_created on origins (created_at);
alter table bans add column device text, add column network text;
create index bans_device on bans (server_id, device) where device is not null;
create index bans_network on bans (server_id, network) where network is not null;
`;
