/**
 * Adds how many bytes of `file_usage` a file takes, because room is reserved as bytes arrive, not at the beginning.
 * Adds the time of the last progress and the number of restarts, so that uploads that never finish can be deleted.
 */
export const reservedFiles = `
alter table files
  add column reserved bigint not null default 0,
  add column progressed_at timestamptz not null default now(),
  add column restarts int not null default 0;
update files set reserved = size + beside;
create index files_unfinished on files (uploader_id) where finished_at is null;
`;
