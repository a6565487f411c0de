/** Shown in place of a picture until its bytes arrive. */
export const pictures = `
alter table files
  add column width integer,
  add column height integer,
  add column placeholder text;
`;
