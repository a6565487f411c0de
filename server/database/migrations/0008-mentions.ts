export const mentions = `
create table mentions (
  user_id uuid not null references users (id) on delete cascade,
  timeline_id uuid not null references rooms (id) on delete cascade,
  position bigint not null,
  primary key (user_id, timeline_id, position)
);
create index mentions_message on mentions (timeline_id, position);
`;
