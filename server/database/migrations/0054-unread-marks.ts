/** `mark`: the position from which a timeline is marked as unread. `mark_version`: the newer of two marks counts. */
export const unreadMarks = `
alter table reads add column mark bigint, add column mark_version bigint not null default 0;
`;
