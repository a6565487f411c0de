/** Created without blocking writes. Finds the entries of a time. */
export const auditTimes = 'create index concurrently audit_times on audit (at)';
