/** Servers whose invites are paused until a time. Expired rows are not swept, because a server has at most one. */
export const invitePauses = `
create table invite_pauses (
  server_id uuid primary key references servers (id) on delete cascade,
  until timestamptz not null
);
`;
