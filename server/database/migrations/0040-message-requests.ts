/**
 * A conversation is a request by `requested_by` until it is answered. An ignored one leaves the list; the sender is not
 * notified.
 */
export const messageRequests = `
alter table participants
  add column requested_by uuid references users (id) on delete cascade,
  add column requested_at timestamptz,
  add column ignored boolean not null default false,
  add check ((requested_by is null) = (requested_at is null)),
  add check (not ignored or requested_by is not null);
-- How many have not answered somebody.
create index participants_requested_by on participants (requested_by)
  where requested_by is not null;

-- Whoever left a group is asked before they are in it again.
create table group_leavers (
  conversation_id uuid not null references conversations (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  primary key (conversation_id, user_id)
);
`;
