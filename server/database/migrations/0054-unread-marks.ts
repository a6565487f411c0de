/** From where on a person has marked a timeline as unread; the version says which of two is newer. */
export const unreadMarks = `
alter table reads add column mark bigint, add column mark_version bigint not null default 0;
`;
