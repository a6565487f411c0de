export const localTime = `
alter table users add column time_zone text, add column shares_time boolean not null default true;
`;
