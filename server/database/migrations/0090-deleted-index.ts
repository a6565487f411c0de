/** Indexes deleted messages, because unread counts exclude them. The index is partial, because they are few. */
export const deletedIndex = `
create index concurrently messages_deleted on messages (timeline_id, position) where deleted_at is not null;
`;
