/** A report about a member whose role lets them answer reports: only moderators and the owner answer it. */
export const staffReports = `
alter table reports add column staff_only boolean not null default false;
`;
