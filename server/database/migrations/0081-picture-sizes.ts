/**
 * The sizes of a picture that are stored behind its own bytes, in this order, and how many bytes they take: they are
 * part of what is stored of the file, so they move, count and go with it.
 */
export const pictureSizes = `
alter table files
  add column sizes jsonb,
  add column beside bigint not null default 0;
`;
