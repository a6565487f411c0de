/** The word filters of servers that have one. */
export const wordFilters = `
create table word_filters (
  server_id uuid primary key references servers (id) on delete cascade,
  words text[] not null check (cardinality(words) > 0)
);
`;
