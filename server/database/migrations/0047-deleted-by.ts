/**
 * Who deleted another's message; null where its author did. Like `author_id` without a foreign key, which each row
 * that is written would have to be checked for (0002): accounts are renamed when they end, and never deleted.
 */
export const deletedBy = `
alter table messages add column deleted_by uuid;
`;
