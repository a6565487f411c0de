/**
 * `reserved`: a file's part of `file_usage`, because room is reserved as bytes arrive. `progressed_at` and `restarts`:
 * for deleting uploads that never finish.
 */
export const reservedFiles = `
alter table files
  add column reserved bigint not null default 0,
  add column progressed_at timestamptz not null default now(),
  add column restarts int not null default 0;
update files set reserved = size + beside;
create index files_unfinished on files (uploader_id) where finished_at is null;
`;
