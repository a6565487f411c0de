/** Emoji of servers. Each has the id of the file that is its picture. */
export const emoji = `
create table emoji (
  id uuid primary key,
  server_id uuid not null references servers (id) on delete cascade,
  name text not null,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  version bigint not null,
  unique (server_id, name)
);
`;
