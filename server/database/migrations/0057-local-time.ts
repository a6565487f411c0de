/** Which time zone somebody is in, unless they keep that to themselves. */
export const localTime = `
alter table users add column time_zone text, add column shares_time boolean not null default true;
`;
