/** Adds the time of the last password reset with a link, because later sign-ins report it. */
export const passwordResetsNoted = `
alter table users add column password_reset_at timestamptz;
`;
