/** Announcement channels: only moderators and the owner send messages in them. */
export const announcements = `
alter table channels add column announcements boolean not null default false;
`;
