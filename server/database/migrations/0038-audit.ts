/** No foreign keys, because entries outlive the people in them. Entries with the same `fold` are counted in one. */
export const audit = `
create table audit (
  id bigint generated always as identity primary key,
  action text not null,
  actor_id uuid,
  server_id uuid,
  user_id uuid,
  subject_id uuid,
  detail text,
  address text,
  at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  count int not null default 1,
  fold text unique
);

create index audit_of_servers on audit (server_id, id) where server_id is not null;
-- How often somebody did something today: what bounds the table.
create index audit_of_actors on audit (actor_id, action, at);
`;
