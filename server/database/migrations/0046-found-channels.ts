/** By what channels are found: server/channels/search.ts keeps it. All that a search reads of a server's is in the index. */
export const foundChannels = `
alter table channels add column folded_name text not null default '';
create index channels_named on channels (server_id) include (folded_name, private, id);

-- Covered by the one above.
drop index channels_server;
`;
