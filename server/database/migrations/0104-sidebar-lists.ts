/**
 * The order of a person’s servers and favourites, and their collapsed categories. Ids have no foreign keys, because they
 * are removed lazily.
 */
export const sidebarLists = `
create table sidebar_lists (
  user_id uuid not null references users (id) on delete cascade,
  list text not null check (list in ('servers', 'favourites', 'collapsed')),
  ids uuid[] not null,
  version bigint not null,
  primary key (user_id, list)
);
alter table notification_settings add column hidden boolean check (hidden);
`;
