/** Link previews, the queue of messages with links to read, and the pages read in the last hour. */
export const previews = `
alter table messages add column previews jsonb;
create table preview_queue (
  message_id uuid primary key,
  -- The links of the text before an edit.
  former text[] not null,
  queued_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default now(),
  attempts int not null default 0
);
create index preview_queue_due on preview_queue (due_at);
create table linked_pages (
  address text primary key,
  -- Null if the page has no preview.
  page jsonb,
  read_at timestamptz not null default now()
);
create index linked_pages_age on linked_pages (read_at);
`;

/** Servers without link previews. Apart, so that no migration locks two tables that are in use. */
export const noPreviews = `
alter table servers add column no_previews boolean not null default false;
`;
