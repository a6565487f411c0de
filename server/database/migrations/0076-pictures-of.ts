/** Pictures of people and servers are files without a timeline. Without an owner they are deleted after a day. */
export const picturesOf = `
alter table files
  alter column timeline_id drop not null,
  add column purpose text,
  add column owner_id uuid,
  add check ((timeline_id is null) = (purpose is not null));
create index files_of_owners on files (owner_id) where owner_id is not null;
drop index files_unnamed;
create index files_unnamed on files (created_at) where message_id is null and owner_id is null;
alter table users add column avatar_id uuid;
`;
