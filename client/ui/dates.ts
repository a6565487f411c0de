const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const fullFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const weekdayFormat = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
});

export const clock = (date: Date) => clockFormat.format(date);
export const fullTime = (date: Date) => fullFormat.format(date);
export const longDay = (date: Date) => dayFormat.format(date);

/** Counts calendar days in UTC, where no day has 23 hours. */
const dayNumber = (date: Date) =>
  Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;

/** The name of a day relative to `now`: today, yesterday, a weekday with its date, or a complete date. */
export function dayName(date: Date, now: Date): string {
  const ago = dayNumber(now) - dayNumber(date);
  if (ago <= 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  return weekday(date, now);
}

const weekday = (date: Date, now: Date) =>
  date.getFullYear() === now.getFullYear() ? weekdayFormat.format(date) : longDay(date);

/** Day and time, for lists: “today, 09:12”. */
export const dayAndClock = (date: Date, now = new Date()) => {
  const day = dayName(date, now);
  return `${day === 'Today' || day === 'Yesterday' ? day.toLowerCase() : day}, ${clock(date)}`;
};

/** The same for a time in the future: “tomorrow, 09:12”. */
export function dayAndClockAhead(date: Date, now = new Date()): string {
  const days = dayNumber(date) - dayNumber(now);
  const day = days <= 0 ? 'today' : days === 1 ? 'tomorrow' : weekday(date, now);
  return `${day}, ${clock(date)}`;
}
