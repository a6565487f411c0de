/** Notification settings by target: see shared/notifications.ts. A person's own id stands for all targets. */
export const notifications = `
create table notification_settings (
  user_id uuid not null references users (id) on delete cascade,
  target_id uuid not null,
  level text check (level in ('all', 'mentions', 'nothing')),
  muted jsonb,
  exempt boolean,
  keywords text[],
  quiet_hours jsonb,
  version bigint not null,
  primary key (user_id, target_id)
);
`;
