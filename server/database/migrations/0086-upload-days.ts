/**
 * `bytes`: what an account, or a network of guests, has started to upload within 24 hours of `began_at`. Stored in the
 * database, so that a restart of a node does not reset the daily limits.
 */
export const uploadDays = `
create table upload_days (
  who text primary key,
  began_at timestamptz not null default now(),
  bytes bigint not null check (bytes >= 0)
);
`;
