/** `pinned` is as on the wire, written by server/pins/part.ts. `kind` is that of a line that nobody wrote. */
export const pins = `
alter table messages add column pinned jsonb, add column kind text;
`;

/** Partial, because pins are few. */
export const pinsIndex = `
create index concurrently messages_pinned on messages (timeline_id) where pinned is not null;
`;
