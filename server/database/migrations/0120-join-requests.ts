/**
 * Requests to join servers that approve new members. `invited_by` created the invite; null for the lobby, which new
 * accounts ask to join without one. `open_requests` is the number last published in the member’s own room; `reports_version` is the
 * version of both numbers.
 */
export const joinRequests = `
create table join_requests (
  server_id uuid not null references servers (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  invited_by uuid references users (id) on delete set null,
  by_guest boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (server_id, user_id)
);
create index join_requests_user on join_requests (user_id);
create index join_requests_invited_by on join_requests (invited_by) where invited_by is not null;
alter table servers add column approval boolean not null default false;
alter table members add column open_requests int not null default 0;
`;
