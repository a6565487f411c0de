/**
 * Which message another answers, who reacted to what, and the part of it that a message's row carries, as the wire has it. `touched` says that a row
 * was changed since it was sent. Like `author_id` without foreign keys (0002).
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
