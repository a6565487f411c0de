/**
 * When a node may send to a device from a timeline again: not while another sends (`leased_until`), not for ten seconds
 * after that, and not before the next attempt (`free_at`). Rows refer to nothing, because they are deleted soon.
 *
 * `certain`: the message is in a conversation, or mentions the person or everyone. Other messages are only candidates.
 */
export const pushPaces = `
create table push_paces (
  session_id uuid not null,
  timeline_id uuid not null,
  free_at timestamptz not null default '-infinity',
  leased_until timestamptz not null,
  primary key (session_id, timeline_id)
);
alter table pushes add column certain boolean not null default false;
`;
