/**
 * What a file counts for in `file_usage`, in a column: room is reserved as bytes arrive, not when an upload begins. When
 * it last made progress, and how often it was sent again, so that uploads that never finish do not stay.
 */
export const reservedFiles = `
alter table files
  add column reserved bigint not null default 0,
  add column progressed_at timestamptz not null default now(),
  add column restarts int not null default 0;
update files set reserved = size + beside;
create index files_unfinished on files (uploader_id) where finished_at is null;
`;
