/** The nodes that run on this database, for its administrators. A node deletes its row when it stops; other nodes delete a row that is not renewed. */
export const nodes = `
create table nodes (
  id uuid primary key,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null default now()
);
`;
