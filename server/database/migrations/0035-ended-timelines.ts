/**
 * Notes ended timelines. server/messages/ended.ts deletes their messages, mentions and read positions later, a few at a
 * time: in the transaction that ends a timeline, millions of rows would block everyone.
 */
export const endedTimelines = `
create table ended_timelines (
  id uuid primary key,
  last_position bigint not null,
  -- Up to here its messages are deleted already.
  swept bigint not null default 0,
  at timestamptz not null default clock_timestamp()
);

drop trigger timeline_ends on rooms;
drop function drop_messages();
alter table mentions drop constraint mentions_timeline_id_fkey;
alter table reads drop constraint reads_timeline_id_fkey;

create function note_ended_timeline() returns trigger language plpgsql as $$
begin
  insert into ended_timelines (id, last_position) values (old.id, old.last_position);
  return null;
end $$;
create trigger timeline_ends after delete on rooms
  for each row when (old.kind = 'timeline') execute function note_ended_timeline();
`;
