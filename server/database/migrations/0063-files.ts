/** Chunks are not compressed, because most files are already. No foreign keys, like `author_id` (0002). */
export const files = `
create table files (
  id uuid primary key,
  uploader_id uuid not null,
  timeline_id uuid not null,
  name text not null,
  size bigint not null check (size > 0),
  received bigint not null default 0 check (received between 0 and size),
  type text not null default 'application/octet-stream',
  sha256 bytea,
  finished_at timestamptz,
  message_id uuid,
  dropped boolean not null default false,
  created_at timestamptz not null default now()
);
create index files_of_messages on files (message_id) where message_id is not null;
create index files_unnamed on files (created_at) where message_id is null;
create index files_dropped on files (id) where dropped;
create table file_chunks (
  file_id uuid not null,
  at bigint not null,
  bytes bytea not null,
  primary key (file_id, at)
);
alter table file_chunks alter column bytes set storage external;
create table file_usage (bytes bigint not null check (bytes >= 0));
insert into file_usage values (0);
alter table messages add column files jsonb;
`;
