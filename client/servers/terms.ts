/** How long a link lasts, and how often it works: as the fields have it, in seconds and times; without an end if empty. */
export interface Terms {
  seconds: string;
  uses: string;
}

export const usual: Terms = { seconds: '604800', uses: '' };

export const durations = [
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '', label: 'Never' },
];
export const counts = [
  { value: '', label: 'No limit' },
  { value: '1', label: '1 use' },
  { value: '10', label: '10 uses' },
  { value: '100', label: '100 uses' },
];

/** In a sentence: “Expires in 7 days, 10 uses”. */
export function inWords({ seconds, uses }: Terms): string {
  const duration = durations.find(({ value }) => value === seconds)?.label ?? '';
  const count = counts.find(({ value }) => value === uses)?.label ?? '';
  const expiry = seconds === '' ? 'Never expires' : `Expires in ${duration}`;
  return uses === '' ? expiry : `${expiry}, ${count}`;
}
