/** Files whose bytes are in an object store: since when, and until when a node is about to move one there. */
export const movedFiles = `
alter table files
  add column moved_at timestamptz,
  add column moving_until timestamptz;
create index files_unmoved on files (moving_until nulls first)
  where moved_at is null and finished_at is not null and not dropped;
`;
