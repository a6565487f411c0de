/** `calls`: a message with @everyone or @here (server/mentions). `here_since`: start of use without a long break. */
export const calls = `
alter table messages add column calls text;
alter table sessions add column here_since timestamptz not null default now();
`;

/** Partial, because they are few. */
export const callsIndex = `
create index concurrently messages_calls on messages (timeline_id, position) where calls is not null;
`;
