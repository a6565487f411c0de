/** `end` is exclusive. */
export interface Part {
  start: number;
  end: number;
  isWhole: boolean;
}

/** The whole file if no single range is asked for, as RFC 9110 permits. Undefined outside the file. */
export function rangeOf(range: string | undefined, size: number): Part | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return { start: 0, end: size, isWhole: true };
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end, isWhole: false } : undefined;
}
