/** A change's transaction queues its message for server/search, so an indexed message is right unless it is queued. */
export const search = `
create table search_queue (
  -- When the message was sent, in microseconds: by that everything is found in order.
  at bigint not null,
  message_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create index search_queue_in_order on search_queue (at, message_id);

-- Messages are put into buckets as they come, some thousands in each.
create table search_buckets (
  bucket integer primary key,
  -- So many were put in.
  filled integer not null,
  oldest bigint not null,
  newest bigint not null
);

create table search_rows (
  message_id uuid primary key,
  timeline_id uuid not null,
  author_id uuid not null,
  at bigint not null,
  bucket integer not null,
  -- Bits: server/search/content.ts.
  has smallint not null,
  mentions uuid[],
  folded text collate "C" not null,
  -- Hashes of the bucket with each thing that the message is found by: server/search/keys.ts.
  keys integer[] not null
);
create index search_rows_keys on search_rows using gin (keys);

create function search_micros(sent timestamptz) returns bigint language sql immutable
  return (extract(epoch from sent) * 1000000)::bigint;

create function queue_added() returns trigger language plpgsql as $$
begin
  insert into search_queue select search_micros(created_at), id from added;
  return null;
end $$;
create function queue_changed() returns trigger language plpgsql as $$
begin
  insert into search_queue select search_micros(after.created_at), after.id
  from after join before on before.id = after.id
  where before.body is distinct from after.body or before.files is distinct from after.files
    or before.deleted_at is distinct from after.deleted_at or before.kind is distinct from after.kind;
  return null;
end $$;
create trigger search_added after insert on messages
  referencing new table as added for each statement execute function queue_added();
create trigger search_changed after update on messages
  referencing old table as before new table as after for each statement execute function queue_changed();
create trigger search_deleted after delete on messages
  referencing old table as added for each statement execute function queue_added();
`;

/** Queues existing messages. Not in the transaction of the triggers, because nobody could write while it lasts. */
export const searchBefore = `
insert into search_queue select search_micros(created_at), id from messages;
`;
