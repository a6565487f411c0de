/**
 * `reply_to` and `reactions` are as on the wire. `touched`: the row has changed since it was inserted. No foreign
 * keys, like `author_id` (0002).
 */
export const repliesAndReactions = `
alter table messages add column reply_to jsonb, add column reactions jsonb, add column touched boolean not null default false;
create table reactions (
  message_id uuid not null,
  emoji text not null,
  user_id uuid not null,
  seq bigint not null generated always as identity,
  primary key (message_id, emoji, user_id)
);
create index reactions_order on reactions (message_id, emoji, seq);
`;
