/** When a status text ends. */
export const ends = {
  never: { label: 'Don’t clear', until: () => undefined },
  '30min': { label: '30 minutes', until: (now) => after(now, 30) },
  '1h': { label: '1 hour', until: (now) => after(now, 60) },
  '4h': { label: '4 hours', until: (now) => after(now, 240) },
  today: { label: 'Today', until: (now) => endOfDays(now, 1) },
  // ISO weekdays: the week ends with Sunday.
  week: { label: 'This week', until: (now) => endOfDays(now, 8 - (now.getDay() || 7)) },
} satisfies Record<string, { label: string; until: (now: Date) => Date | undefined }>;

export type End = keyof typeof ends;

const after = (now: Date, minutes: number) => new Date(now.getTime() + minutes * 60_000);

const endOfDays = (now: Date, days: number) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
