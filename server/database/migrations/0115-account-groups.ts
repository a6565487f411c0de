/** Indexes administrators by id, because they can be few among very many accounts. */
export const administratorIndex = `
create index concurrently users_administrators on users (id) where administrator
`;

/** Indexes suspended accounts by id, for the same reason. */
export const suspendedIndex = `
create index concurrently users_suspended on users (id) where suspended_at is not null
`;

/** Indexes guests by id, for the same reason. */
export const guestIndex = `
create index concurrently users_guests_by_id on users (id) where kind = 'guest' and ended_at is null
`;
