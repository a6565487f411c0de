/**
 * `judged`: the person wanted the notification when the push was first due; only such pushes wait while a device is in
 * use. Restores the index by time, which finds what is due, and which 0091 dropped.
 */
export const judgedPushes = `
alter table pushes add column judged boolean not null default false;
create index pushes_due on pushes (due_at);
`;
