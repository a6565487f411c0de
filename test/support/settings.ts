/** A node's settings in tests: generous limits, cheap hashing and no requests elsewhere, unless a test is about these. */
export const forTests = {
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'fatal',
  PARLEY_RATE_SCALE: '100000',
  PARLEY_PASSWORD_COST: '4',
  PARLEY_PREVIEWS: 'off',
};
