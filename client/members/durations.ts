/** Durations of a ban as form values, in seconds; an empty value means without end. */
export const banDurations = [
  { value: '', label: 'Until unbanned' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

/** Durations of a time-out as form values, in seconds. */
export const timeoutDurations = [
  { value: '60', label: '1 minute' },
  { value: '600', label: '10 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2419200', label: '28 days' },
];

/** How long ago people joined, in seconds. */
export const joinPeriods = [
  { value: '600', label: 'Last 10 minutes' },
  { value: '3600', label: 'Last hour' },
  { value: '86400', label: 'Last 24 hours' },
  { value: '604800', label: 'Last 7 days' },
];

/** The age of the messages to delete as form values, in seconds; an empty value means none. */
export const purgeSpans = [
  { value: '', label: 'Don’t delete any' },
  { value: '3600', label: 'Last hour' },
  { value: '86400', label: 'Last 24 hours' },
  { value: '604800', label: 'Last 7 days' },
];

export function outFor(seconds: string): string {
  if (seconds === '') return 'They’ll be removed and can’t rejoin until you unban them.';
  const duration = banDurations.find(({ value }) => value === seconds)?.label ?? '';
  return `They’ll be removed and can’t rejoin for ${duration}, unless you unban them sooner.`;
}
