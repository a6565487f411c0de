/**
 * How many bytes each account, or network of guests, has started to upload within 24 hours of the first. It is in the
 * database so that restarting a node does not reset anyone's daily allowance.
 */
export const uploadDays = `
create table upload_days (
  who text primary key,
  began_at timestamptz not null default now(),
  bytes bigint not null check (bytes >= 0)
);
`;
