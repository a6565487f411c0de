/** `sizes`: variants stored after the picture, in this order. They take `beside` bytes, and move and go with it. */
export const pictureSizes = `
alter table files
  add column sizes jsonb,
  add column beside bigint not null default 0;
`;
