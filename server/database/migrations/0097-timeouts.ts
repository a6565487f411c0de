/** Members who can only read until a time. A row stays when its member leaves, so that joining again ends nothing. */
export const timeouts = `
create table timeouts (
  user_id uuid not null references users (id) on delete cascade,
  server_id uuid not null references servers (id) on delete cascade,
  until timestamptz not null,
  primary key (user_id, server_id)
);
create index timeouts_server on timeouts (server_id);
`;
