/** The names for search. The index has all that a search reads. */
export const foundChannels = `
alter table channels add column folded_name text not null default '';
create index channels_named on channels (server_id) include (folded_name, private, id);

-- Covered by the one above.
drop index channels_server;
`;
