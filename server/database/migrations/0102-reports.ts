/**
 * Reports of messages, with one reason for each person who reported them. A report stores the text, because its author
 * can edit or delete the message, and `later_body`, if it differed when the message was last reported. `open_reports` is
 * the count in the member’s own room, and `reports_version` its version.
 */
export const reports = `
create table reports (
  message_id uuid primary key,
  server_id uuid not null references servers (id) on delete cascade,
  channel_id uuid not null,
  position bigint not null,
  author_id uuid not null references users (id) on delete cascade,
  body text not null,
  later_body text,
  files int not null,
  owner_only boolean not null,
  by_guest boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  closed_by uuid references users (id) on delete set null,
  outcome text check (outcome in ('handled', 'dismissed')),
  check ((closed_at is null) = (outcome is null))
);
create index reports_open on reports (server_id, created_at, message_id) where closed_at is null;
create index reports_closed on reports (server_id, closed_at, message_id) where closed_at is not null;
create index reports_author on reports (author_id);
create index reports_closed_by on reports (closed_by) where closed_by is not null;
create index reports_closed_at on reports (closed_at) where closed_at is not null;
create table report_reasons (
  message_id uuid not null references reports (message_id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  kind text not null,
  note text,
  at timestamptz not null default clock_timestamp(),
  primary key (message_id, user_id)
);
create index report_reasons_user on report_reasons (user_id);
alter table members add column open_reports int not null default 0,
  add column reports_version bigint not null default 0;
`;
