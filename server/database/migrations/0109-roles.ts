/** The ids of a member’s custom roles; null without any. Alone, because it locks all members for a moment. */
export const roleIds = `
alter table members add column role_ids uuid[];
`;

/** Custom roles of servers. */
export const roles = `
create table roles (
  id uuid primary key,
  server_id uuid not null references servers (id) on delete cascade,
  name text not null,
  color text,
  mark text,
  permissions text[] not null,
  position double precision not null,
  created_at timestamptz not null default now(),
  version bigint not null,
  unique (server_id, name)
);
`;

/** The members that the room of a large server lists. */
export const listedMembers = `
create index concurrently members_listed on members (server_id, user_id)
where role <> 'member' or role_ids is not null
`;

/** The custom roles that can send messages in an announcement channel, and those that can mention everyone. */
export const channelRoles = `
alter table channels add column sender_role_ids uuid[], add column caller_role_ids uuid[];
`;
