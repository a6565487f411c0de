/** Caches the small pictures of linked pages for an hour. `picture` is null if the address gave no picture. */
export const linkedPictures = `
alter table linked_pages add column picture_address text;
create table linked_pictures (
  address text primary key,
  picture bytea,
  read_at timestamptz not null default now()
);
create index linked_pictures_age on linked_pictures (read_at);
alter table linked_pictures alter column picture set storage external;
`;
