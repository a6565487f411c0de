/** Whom a message calls, if it calls many: server/mentions. And since when a session is in use without a long break. */
export const calls = `
alter table messages add column calls text;
alter table sessions add column here_since timestamptz not null default now();
`;

/** Partial, because they are few. */
export const callsIndex = `
create index concurrently messages_calls on messages (timeline_id, position) where calls is not null;
`;
