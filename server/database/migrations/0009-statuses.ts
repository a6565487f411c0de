/** Chosen statuses. Without a row, the actual presence is shown. */
export const statuses = `
create table statuses (
  user_id uuid primary key references users (id) on delete cascade,
  status text not null check (status in ('online', 'idle', 'dnd', 'invisible'))
);
`;
