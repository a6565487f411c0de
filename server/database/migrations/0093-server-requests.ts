/** `message_requests`: members need a request to write to each other first. Set for Lobby, which anyone can be in. */
export const serverRequests = `
alter table servers add column message_requests boolean not null default false;
update servers set message_requests = true
  where id in (select value::uuid from settings where key = 'lobby_id');
`;
