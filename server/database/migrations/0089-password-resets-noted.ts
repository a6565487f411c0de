/** Adds when a password was last reset with a link, because sign-ins after it say so. */
export const passwordResetsNoted = `
alter table users add column password_reset_at timestamptz;
`;
