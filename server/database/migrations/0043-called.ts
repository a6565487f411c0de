/** Names for search: server/members/nickname-search.ts writes those of nicknames, server/people/name-search.ts the others. */
export const called = `
alter table members
  add column folded_nickname text not null default '',
  add column nickname_parts text[] not null default '{}';
create index members_nickname_parts on members using gin (nickname_parts)
  with (fastupdate = off) where nickname is not null;

-- Guests and bots are members, too.
drop index users_name_parts;
create index users_name_parts on users using gin (name_parts) with (fastupdate = off);
`;
