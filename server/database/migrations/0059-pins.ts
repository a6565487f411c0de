/** `pinned` is as on the wire, written by server/pins/part.ts. `kind` marks lines written by the service. */
export const pins = `
alter table messages add column pinned jsonb, add column kind text;
`;

/** Partial, because pins are few. */
export const pinsIndex = `
create index concurrently messages_pinned on messages (timeline_id) where pinned is not null;
`;
