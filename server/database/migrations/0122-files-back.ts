/**
 * `object`: the key of a file's object in the store; null means the file's id. `old_objects`: objects that no file
 * refers to any longer, and when they can be removed.
 */
export const filesBack = `
alter table files add column object uuid;
create table old_objects (
  object uuid primary key,
  removable_at timestamptz not null
);
create index old_objects_age on old_objects (removable_at);
`;

export const movedIndex = `create index concurrently if not exists files_moved on files (moving_until nulls first)
  where moved_at is not null`;
