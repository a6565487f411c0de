/** Days in the format of date fields and queries, for example 2026-01-31, in the browser's time zone. */
const two = (number: number) => String(number).padStart(2, '0');

export const isoDay = (date: Date) =>
  [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join(
    '-',
  );

/** The start of a day in local time; undefined if the text is not a day. */
export function startOfDay(day: string): Date | undefined {
  const [, year, month, dayOfMonth] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (dayOfMonth === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(dayOfMonth));
  return isoDay(date) === day ? date : undefined;
}

/** The start of the next day. */
export function endOfDay(day: string): Date | undefined {
  const date = startOfDay(day);
  return date && new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1);
}
