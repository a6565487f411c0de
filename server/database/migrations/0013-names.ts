/** The names by which people are found, written by server/people/name-search.ts. Empty if search excludes them. */
export const names = `
alter table users
  add column folded_name text not null default '',
  add column folded_username text not null default '',
  add column name_parts text[] not null default '{}';

-- By bytes, whatever the database's locale: what begins so stands together.
create index users_folded_name on users (folded_name text_pattern_ops) where kind = 'registered';
create index users_folded_username on users (folded_username text_pattern_ops)
  where kind = 'registered';

-- Without a list of what is pending, which every search would read from one end to the other.
create index users_name_parts on users using gin (name_parts) with (fastupdate = off)
  where kind = 'registered';
`;
