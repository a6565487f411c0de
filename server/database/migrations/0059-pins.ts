/**
 * Who pinned a message and when, as the wire has it, and of what kind a line is that nobody wrote. Written beside
 * messages.reactions, by the same seam: server/pins/part.ts.
 */
export const pins = `
alter table messages add column pinned jsonb, add column kind text;
`;

/** Partial, because pins are few. */
export const pinsIndex = `
create index concurrently messages_pinned on messages (timeline_id) where pinned is not null;
`;
