/** How far people have read; and ended sessions beside the departures, so that every node learns of both. */
export const truth = `
-- One row for each person and timeline, rewritten all the time: its pages keep room for that.
create table reads (
  user_id uuid not null references users (id) on delete cascade,
  timeline_id uuid not null references rooms (id) on delete cascade,
  position bigint not null check (position > 0),
  primary key (user_id, timeline_id)
) with (fillfactor = 70);
create index reads_timeline on reads (timeline_id);

-- A departure has a scope, an ended session its public id and what its sockets are told.
alter table revocations
  alter column scope drop not null,
  alter column access_version drop not null,
  add column session_id uuid,
  add column closing text,
  add check ((scope is null) = (access_version is null)),
  add check ((session_id is null) = (closing is null)),
  add check ((scope is null) <> (session_id is null));
`;
