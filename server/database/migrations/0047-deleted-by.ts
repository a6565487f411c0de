/** Null if the author deleted it. No foreign key, like `author_id` (0002): accounts are renamed, never deleted. */
export const deletedBy = `
alter table messages add column deleted_by uuid;
`;
