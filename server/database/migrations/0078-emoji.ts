/** An emoji has the id of its picture's file. */
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
