/** Choices for slow mode, in seconds. */
const spans = [
  { value: '5', label: '5 seconds' },
  { value: '10', label: '10 seconds' },
  { value: '30', label: '30 seconds' },
  { value: '60', label: '1 minute' },
  { value: '300', label: '5 minutes' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
];

/** With the present value, which a bot can have set to any number. */
export const slowChoices = (seconds: number) => [
  { value: '0', label: 'Off' },
  ...[...spans, ...(seconds === 0 || isChoice(seconds) ? [] : [spanOf(seconds)])].sort(
    (a, b) => Number(a.value) - Number(b.value),
  ),
];

/** After “every”: “30 seconds”, “hour”. */
export const slowText = (seconds: number): string =>
  (spans.find(({ value }) => value === String(seconds)) ?? spanOf(seconds)).label.replace(
    /^1 /,
    '',
  );

const isChoice = (seconds: number) => spans.some(({ value }) => value === String(seconds));

const spanOf = (seconds: number) => ({
  value: String(seconds),
  label: seconds === 1 ? '1 second' : `${seconds} seconds`,
});
