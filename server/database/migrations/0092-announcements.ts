/** Channels in which only moderators and the owner send messages. */
export const announcements = `
alter table channels add column announcements boolean not null default false;
`;
