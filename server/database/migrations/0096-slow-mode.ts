/**
 * Slow mode: members wait between two messages. `slow_sends` has the last message of each person in a channel with slow
 * mode. Rows refer to nothing, because they are deleted once no wait is that long.
 */
export const slowMode = `
alter table channels add column slow_seconds integer not null default 0;
create table slow_sends (
  timeline_id uuid not null,
  user_id uuid not null,
  sent_at timestamptz not null,
  primary key (timeline_id, user_id)
);
`;
