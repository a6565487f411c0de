/** What is told of a picture before it has come. */
export const pictures = `
alter table files
  add column width integer,
  add column height integer,
  add column placeholder text;
`;
