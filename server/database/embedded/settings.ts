/** The postmaster’s settings, given on its command line, where no old configuration file can override them. */
const values = {
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',
  max_connections: 200,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The text and the values of a failed statement can contain user data, which must not be logged.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  logging_collector: 'off',
};

export const settings = Object.entries(values).flatMap(([name, value]) => [
  '-c',
  `${name}=${value}`,
]);
