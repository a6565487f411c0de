/** Servers and invites that guests can’t join with. */
export const guestDoors = `
alter table servers add column closed_to_guests boolean not null default false;
alter table invites add column guests boolean not null default true;
`;
