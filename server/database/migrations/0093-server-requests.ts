/**
 * Servers whose members need a request to write to each other for the first time. Servers that exist keep this rule,
 * which was that of all; their owners can change it.
 */
export const serverRequests = `
alter table servers add column message_requests boolean not null default true;
alter table servers alter column message_requests set default false;
`;
