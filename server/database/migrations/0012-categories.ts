/** Positions become fractions, so that a move between two rows changes only one. */
export const categories = `
create table categories (
  id uuid primary key,
  server_id uuid not null references servers (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 64),
  position double precision not null,
  created_at timestamptz not null default now(),
  version bigint not null,
  unique (id, server_id)
);
create index categories_server on categories (server_id);

-- A channel stands under a category of its own server or under none, and no category ends over its channels.
alter table channels
  alter column position type double precision,
  add column category_id uuid,
  add constraint category_of_its_server
    foreign key (category_id, server_id) references categories (id, server_id);
create index channels_category on channels (category_id, server_id);
`;
