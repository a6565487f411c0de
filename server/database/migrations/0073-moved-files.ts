/** `moved_at`: when the bytes moved to the object store. `moving_until`: until when a node claims to move them. */
export const movedFiles = `
alter table files
  add column moved_at timestamptz,
  add column moving_until timestamptz;
create index files_unmoved on files (moving_until nulls first)
  where moved_at is null and finished_at is not null and not dropped;
`;
