/** Finds the members who joined a server last. */
export const newestMembers = `create index concurrently members_joined on members (server_id, joined_at desc)`;
