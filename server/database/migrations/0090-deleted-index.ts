/** Deleted messages are few. They are left out of what is unread. */
export const deletedIndex = `
create index concurrently messages_deleted on messages (timeline_id, position) where deleted_at is not null;
`;
