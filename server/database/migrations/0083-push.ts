export const push = `
-- One for each device: whoever is signed out there is sent nothing more.
create table push_subscriptions (
  session_id uuid primary key references sessions (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  hides_text boolean not null,
  created_at timestamptz not null default now()
);
create index push_subscriptions_user on push_subscriptions (user_id);

-- Written with the message, so that no node that ends takes it along.
create table push_queue (
  message_id uuid primary key,
  queued_at timestamptz not null default now()
);

-- A node that sends one puts off when it is due, so that no other sends it meanwhile.
create table pushes (
  session_id uuid not null references push_subscriptions (session_id) on delete cascade,
  message_id uuid not null,
  queued_at timestamptz not null,
  due_at timestamptz not null,
  attempts smallint not null default 0,
  primary key (session_id, message_id)
);
create index pushes_due on pushes (due_at);

-- Who may be told of any message of a place: found without asking everyone in it.
create index notification_settings_all on notification_settings (target_id) where level = 'all';
create index notification_settings_everywhere on notification_settings (user_id)
  where target_id = user_id and (level = 'all' or keywords is not null);
`;
