/** A device that another one turned off keeps its row without an address, so that it does not subscribe again. */
export const pushTurnedOff = `
alter table push_subscriptions
  alter endpoint drop not null, alter p256dh drop not null, alter auth drop not null,
  add check (num_nulls(endpoint, p256dh, auth) in (0, 3));
`;
