/** Orders pushes by how many wait for the same device before them: see push/queue-store.ts. */
export const pushTurns = `
alter table pushes add column turn smallint not null default 0;
create index pushes_turn on pushes (turn, due_at);
drop index pushes_due;
`;
