/**
 * When a place may be pushed to a device again: while a node sends to it, for ten seconds after it did, and until the next
 * attempt. Rows refer to nothing, because they are deleted soon.
 */
export const pushPaces = `
create table push_paces (
  session_id uuid not null,
  timeline_id uuid not null,
  free_at timestamptz not null,
  primary key (session_id, timeline_id)
);
`;
