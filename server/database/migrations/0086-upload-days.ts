/**
 * `bytes`: what an account, or a network of guests, has started to upload within 24 hours of `began_at`. In the
 * database, so that restarting a node does not reset anyone's daily allowance.
 */
export const uploadDays = `
create table upload_days (
  who text primary key,
  began_at timestamptz not null default now(),
  bytes bigint not null check (bytes >= 0)
);
`;
